/* The value of --splits: "train=0.9,test=0.1". */
#ifndef CLI_TOOLS_SPLIT_LIST_H
#define CLI_TOOLS_SPLIT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stoker/pack.h>

enum { CLI_SPLITS_MAX = 16 };

typedef struct cli_split_list {
    stk_pack_split splits[CLI_SPLITS_MAX];
    size_t         count;
    char           names[512]; /* storage of the splits' names */
} cli_split_list;

/* Parses names with fractions that add up to 1; false with a message if text is invalid. */
bool cli_split_list_parse(cli_split_list *list, const char *text, char *message, size_t capacity);

#endif
