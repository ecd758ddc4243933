/* Assigns splits to training, validation and test. */
#ifndef STK_TRAIN_INPUT_SPLITS_H
#define STK_TRAIN_INPUT_SPLITS_H

#include <stoker/train_data.h>

enum { STK_SPLITS_MAX = 64 };

/* The splits of the data. */
typedef struct stk_split_list {
    char     names[STK_SPLITS_MAX][64];
    uint64_t counts[STK_SPLITS_MAX], bytes[STK_SPLITS_MAX];
    size_t   count;
} stk_split_list;

void     stk_split_list_add(stk_split_list *list, const char *name, uint64_t count, uint64_t bytes);
uint64_t stk_split_list_bytes(const stk_split_list *list, const char *name);

/* Sets data's splits and counts; data's source is set if there is one. The recipe's words count
 * first. Else validation uses val, validation, valid, dev or eval; without one, it holds out a
 * fraction of the training split. It never uses test. */
STK_NODISCARD stk_status stk_splits_choose(const stk_train_recipe *recipe,
                                           const stk_split_list *list, stk_train_data *data,
                                           stk_error *err);

#endif
