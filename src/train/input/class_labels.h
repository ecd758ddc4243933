/* The classes of the images to train on, in the order they are read in. */
#ifndef STK_TRAIN_INPUT_CLASS_LABELS_H
#define STK_TRAIN_INPUT_CLASS_LABELS_H

#include <stoker/train_data.h>

/* Whether something in the recipe asks for them. */
bool stk_train_wants_labels(const stk_train_recipe *recipe);
/* Fills data->labels, from the listing where that has them, else by reading every record once. On
 * failure it is NULL. */
STK_NODISCARD stk_status stk_train_read_labels(stk_train_data *data, const stk_train_recipe *recipe,
                                               stk_error *err);
/* How many images of each of data->classes there are, of data->labels. The caller frees it; NULL:
 * no memory. */
int64_t *stk_train_count_labels(const stk_train_data *data);

#endif
