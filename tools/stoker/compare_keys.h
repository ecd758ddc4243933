/* Keys of recipes that differ among runs. */
#ifndef CLI_TOOLS_COMPARE_KEYS_H
#define CLI_TOOLS_COMPARE_KEYS_H

#include "compare_item.h"

enum { CLI_COMPARE_VALUE = 512 };

/* How many of the items have a recipe. */
size_t cli_compare_recipes(const cli_compare_item *items, size_t count);
/* The next key, from *index on, whose value is not the same in all recipes; NULL past the last.
 * Where results go (output) is not compared. */
const stk_param *cli_compare_next_key(const cli_compare_item *items, size_t count, size_t *index);
/* Writes "data.batch". */
void cli_compare_key_name(const stk_param *key, char name[96]);
/* Its value; "" of an item without a recipe. */
void cli_compare_key_value(const cli_compare_item *item, const stk_param *key,
                           char value[CLI_COMPARE_VALUE]);

#endif
