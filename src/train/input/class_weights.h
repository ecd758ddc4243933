/* What each class counts in the loss. */
#ifndef STK_TRAIN_INPUT_CLASS_WEIGHTS_H
#define STK_TRAIN_INPUT_CLASS_WEIGHTS_H

#include <stoker/train_data.h>

/* A weight for each of the recipe's model.classes, for the caller to free; *out is NULL where all
 * count alike. balanced needs data->labels: images / (classes * those of the class), so that the
 * mean over the images is 1. A name that is no class, a list of another length, and weights that
 * are negative or all 0 are STK_E_INVALID. */
STK_NODISCARD stk_status stk_class_weights(const stk_train_recipe *recipe,
                                           const stk_train_data *data, float **out, stk_error *err);

#endif
