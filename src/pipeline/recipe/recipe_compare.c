/* The comparison of filter and take_while. */
#include "pipeline/recipe/recipe_compare.h"

#include "pipeline/functions/builtin.h"

enum { VALUE, MODULO, FIRST_RELATION };

stk_status stk_recipe_make_compare(stk_recipe *recipe, const stk_recipe_call *bound,
                                   const stk_element_spec *input, stk_function **out,
                                   stk_error *err)
{
    const stk_argument *a = bound->arguments;
    int                 value, relation = -1, given = 0;
    *out = NULL;
    for (int i = 0; i < STK_RELATION_COUNT; i++)
        if (a[FIRST_RELATION + i].given) {
            relation = i;
            given++;
        }
    if (given != 1)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, bound->line, bound->entry->info.name,
                             "%d comparisons are given; give one of less_than, at_most, equals, "
                             "differs_from, at_least, more_than",
                             given);
    STK_TRY(stk_recipe_value(recipe, &a[VALUE], bound->entry->info.name, input, &value, err));
    STK_TRY(stk_check_value(bound->entry->info.name, input, value,
                            STK_TYPES_NUMERIC | 1 << STK_DTYPE_BOOL, err));
    return stk_function_compare(out, value, a[MODULO].integer, (stk_relation)relation,
                                a[FIRST_RELATION + relation].number, err);
}
