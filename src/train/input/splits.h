/* Which split is for what: to learn from, to choose by, to report on. */
#ifndef STK_TRAIN_INPUT_SPLITS_H
#define STK_TRAIN_INPUT_SPLITS_H

#include <stoker/train_data.h>

enum { STK_SPLITS_MAX = 64 };

/* The splits that data has. */
typedef struct stk_split_list {
    char     names[STK_SPLITS_MAX][64];
    uint64_t counts[STK_SPLITS_MAX], bytes[STK_SPLITS_MAX];
    size_t   count;
} stk_split_list;

void     stk_split_list_add(stk_split_list *list, const char *name, uint64_t count, uint64_t bytes);
uint64_t stk_split_list_bytes(const stk_split_list *list, const char *name);

/* Fills in the splits and counts of data, whose source is set where there is one. What the recipe
 * says counts. Else validation is on val, validation, valid, dev or eval; where there is none, on a
 * part of the training split that is held back; never on test, which is for the end alone. */
STK_NODISCARD stk_status stk_splits_choose(const stk_train_recipe *recipe,
                                           const stk_split_list *list, stk_train_data *data,
                                           stk_error *err);

#endif
