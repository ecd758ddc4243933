/* Datasets of given elements inside checkpoints: made by window and group_by_window. */
#ifndef STK_PIPELINE_RUNTIME_ELEMENTS_H
#define STK_PIPELINE_RUNTIME_ELEMENTS_H

#include "pipeline/runtime/state_bytes.h"

/* As stk_dataset_elements, with the spec of like where it is known: a window knows of its elements
 * what its input does, and no more because of what they happen to be. */
STK_NODISCARD stk_status stk_elements_like(stk_dataset **out, stk_element *const *elements,
                                           size_t count, stk_dataset *like, stk_error *err);

/* Writes the elements of a dataset that stk_dataset_elements made; another is STK_E_UNSUPPORTED. */
STK_NODISCARD stk_status stk_elements_save(const stk_dataset *data, stk_state_out *out,
                                           stk_error *err);
/* without_spec: written by versions without a spec of such datasets. */
STK_NODISCARD stk_status stk_elements_restore(stk_dataset **out, stk_state_in *in,
                                              bool without_spec, stk_error *err);

#endif
