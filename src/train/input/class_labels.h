/* Labels of the training images, in reading order. */
#ifndef STK_TRAIN_INPUT_CLASS_LABELS_H
#define STK_TRAIN_INPUT_CLASS_LABELS_H

#include <stoker/train_data.h>

/* Whether the recipe needs the labels. */
bool stk_train_wants_labels(const stk_train_recipe *recipe);
/* Fills data->labels from the listing if it has labels, else by reading every record once. On
 * failure it is NULL. */
STK_NODISCARD stk_status stk_train_read_labels(stk_train_data *data, const stk_train_recipe *recipe,
                                               stk_error *err);
/* Counts data->labels per class. The caller frees the result; NULL: no memory. */
int64_t *stk_train_count_labels(const stk_train_data *data);

#endif
