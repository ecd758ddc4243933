/* The value of --splits: "train=0.9,test=0.1". */
#ifndef STK_TOOLS_SPLIT_LIST_H
#define STK_TOOLS_SPLIT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stoker/pack.h>

enum { STK_SPLITS_MOST = 16 };

typedef struct stk_split_list {
    stk_pack_split splits[STK_SPLITS_MOST];
    size_t         count;
    char           names[512]; /* what the splits' names point into */
} stk_split_list;

/* False, with a message of what is wrong, when text is no list of names and fractions that make 1
 * together. */
bool stk_split_list_parse(stk_split_list *list, const char *text, char *message, size_t capacity);

#endif
