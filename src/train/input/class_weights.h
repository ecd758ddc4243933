/* Class weights of the loss. */
#ifndef STK_TRAIN_INPUT_CLASS_WEIGHTS_H
#define STK_TRAIN_INPUT_CLASS_WEIGHTS_H

#include <stoker/train_data.h>

/* Computes one weight per class of the recipe, which the caller frees; *out is NULL if all are 1.
 * balanced needs data->labels and gives images / (classes * images of the class), so the mean over
 * images is 1. STK_E_INVALID: an unknown class name, a list of another length, or weights that are
 * negative or all 0. */
STK_NODISCARD stk_status stk_class_weights(const stk_train_recipe *recipe,
                                           const stk_train_data *data, float **out, stk_error *err);

#endif
