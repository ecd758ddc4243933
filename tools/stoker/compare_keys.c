/* Keys of recipes that differ among runs. */
#include "compare_keys.h"

#include <string.h>

size_t cli_compare_recipes(const cli_compare_item *items, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += items[i].has_recipe;
    return found;
}

void cli_compare_key_name(const stk_param *key, char name[96])
{
    snprintf(name, 96, "%s%s%s", key->group ? key->group : "", key->group ? "." : "", key->name);
}

void cli_compare_key_value(const cli_compare_item *item, const stk_param *key,
                           char value[CLI_COMPARE_VALUE])
{
    value[0] = 0;
    if (item->has_recipe) (void)stk_param_print(key, &item->recipe, value, CLI_COMPARE_VALUE);
}

static bool differs(const cli_compare_item *items, size_t count, const stk_param *key)
{
    char first[CLI_COMPARE_VALUE], value[CLI_COMPARE_VALUE];
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (!items[i].has_recipe) continue;
        cli_compare_key_value(&items[i], key, value);
        if (found && strcmp(value, first) != 0) return true;
        if (!found) memcpy(first, value, sizeof first);
        found = true;
    }
    return false;
}

const stk_param *cli_compare_next_key(const cli_compare_item *items, size_t count, size_t *index)
{
    const stk_param *key;
    while ((key = stk_train_key_at((*index)++)) != NULL)
        if (!(key->group && strcmp(key->group, "output") == 0) && differs(items, count, key))
            return key;
    return NULL;
}
