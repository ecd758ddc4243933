/* Shapes and padding of batches. */
#include "pipeline/recipe/padding.h"

#include <stdlib.h>

void stk_padding_release(stk_padding *padding)
{
    stk_element_unref(padding->values);
    free(padding->padding);
    *padding = (stk_padding){0};
}

stk_status stk_padding_init(stk_padding *out, const stk_recipe *recipe,
                            const stk_recipe_call *bound, const stk_argument *shapes,
                            const stk_argument *padding, const stk_element_spec *input,
                            stk_error *err)
{
    *out = (stk_padding){0};
    if (shapes->given && padding->given && shapes->count != padding->count)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, bound->line, bound->entry->info.name,
                             "%zu shapes and %zu paddings are given; give one of each per value",
                             shapes->count, padding->count);
    if (shapes->given) {
        out->shapes = shapes->shapes;
        out->count = shapes->count;
    }
    if (!padding->given) return STK_OK;
    STK_TRY(stk_recipe_element(recipe, padding->tree, input, &out->values, err));
    out->count = padding->count;
    out->padding = calloc(out->count + 1, sizeof *out->padding);
    if (!out->padding) {
        stk_padding_release(out);
        return stk_fail(err, STK_E_NOMEM, "recipe", recipe->name, "no memory for padding");
    }
    for (size_t i = 0; i < out->count; i++)
        out->padding[i] = *stk_element_value(out->values, i);
    return STK_OK;
}
