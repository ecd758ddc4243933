/* Datasets of given elements inside checkpoints: what window and group_by_window hand out. */
#ifndef STK_PIPELINE_ELEMENTS_H
#define STK_PIPELINE_ELEMENTS_H

#include "pipeline/run/state.h"

/* Writes the elements of a dataset that stk_dataset_elements made; another is STK_E_UNSUPPORTED. */
STK_NODISCARD stk_status stk_elements_save(const stk_dataset *data, stk_state_out *out,
                                           stk_error *err);
STK_NODISCARD stk_status stk_elements_restore(stk_dataset **out, stk_state_in *in, stk_error *err);

#endif
