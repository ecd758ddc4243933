/* Warnings about heterogeneous image data before training. */
#ifndef STK_TRAIN_INPUT_MIXTURE_H
#define STK_TRAIN_INPUT_MIXTURE_H

#include <stoker/train_data.h>

/* Appends a line "WARNING: ..." for each property that varies too much. recipe has preset and
 * size. */
STK_NODISCARD stk_status stk_mixture_warn(const stk_train_recipe *recipe,
                                          const stk_train_data *data, stk_blob *reasons,
                                          stk_error *err);

#endif
