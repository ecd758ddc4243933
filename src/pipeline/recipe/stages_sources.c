/* Sources that need no files: range, tensors, slices, elements. */
#include "pipeline/recipe/recipe_table.h"

#include <stdlib.h>
#include <stoker/dataset_sources.h>

static const stk_recipe_parameter range_parameters[] = {
    {"stop", STK_RECIPE_INTEGER, .required = true, .least = INT64_MIN,
     .help = "the numbers end before it"},
    {"start", STK_RECIPE_INTEGER, .default_value = "0", .least = INT64_MIN,
     .help = "the first number"},
    {"step", STK_RECIPE_INTEGER, .default_value = "1", .least = INT64_MIN,
     .help = "from one number to the next; not 0"},
};

static stk_status range(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                        stk_error *err)
{
    (void)recipe;
    const stk_argument *a = bound->arguments;
    return stk_dataset_range(data, a[1].integer, a[0].integer, a[2].integer, err);
}

static const stk_recipe_parameter values_parameters[] = {
    {"values", STK_RECIPE_CONSTANTS, .required = true, .help = "one constant per value"},
};

static stk_status from_values(stk_recipe *recipe, const stk_recipe_call *bound,
                              stk_status (*make)(stk_dataset **out, const stk_element *element,
                                                 stk_error *err),
                              stk_dataset **data, stk_error *err)
{
    stk_element *element;
    STK_TRY(stk_recipe_element(recipe, bound->arguments[0].tree, NULL, &element, err));
    stk_status st = make(data, element, err);
    stk_element_unref(element);
    return st;
}

static stk_status tensors(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                          stk_error *err)
{
    return from_values(recipe, bound, stk_dataset_tensors, data, err);
}

static stk_status slices(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                         stk_error *err)
{
    return from_values(recipe, bound, stk_dataset_slices, data, err);
}

static const stk_recipe_parameter elements_parameters[] = {
    {"list", STK_RECIPE_CONSTANTS, .required = true,
     .help = "one constant per element, or {values: [...]} for several values"},
};

/* A constant alone, or {values: [constants]}. */
static stk_status read_element(const stk_recipe *recipe, const stk_yaml_node *tree,
                               stk_element **out, stk_error *err)
{
    *out = NULL;
    if (tree->kind == STK_YAML_MAP && tree->count == 1 && strcmp(tree->first->key, "values") == 0 &&
        tree->first->kind == STK_YAML_LIST)
        return stk_recipe_element(recipe, tree->first, NULL, out, err);
    stk_yaml_node item = *tree;
    item.next = NULL;
    const stk_yaml_node list = {
        .kind = STK_YAML_LIST, .line = tree->line, .first = &item, .count = 1};
    return stk_recipe_element(recipe, &list, NULL, out, err);
}

static stk_status elements(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                           stk_error *err)
{
    const stk_yaml_node *list = bound->arguments[0].tree;
    stk_element        **made = calloc(list->count + 1, sizeof(stk_element *));
    if (!made)
        return stk_fail(err, STK_E_NOMEM, "elements", NULL, "no memory for %zu elements",
                        list->count);
    size_t     count = 0;
    stk_status st = STK_OK;
    for (const stk_yaml_node *item = list->first; item && !st; item = item->next)
        st = read_element(recipe, item, &made[count++], err);
    if (!st) st = stk_dataset_elements(data, made, count, err);
    for (size_t i = 0; i < count; i++)
        stk_element_unref(made[i]);
    free(made);
    return st;
}

static const stk_recipe_row entries[] = {
    {.info = {"range", "whole numbers from start up or down to stop", STK_RECIPE_SOURCE,
              STK_PARAMETERS(range_parameters)},
     .build = range},
    {.info = {"tensors", "one element of these values", STK_RECIPE_SOURCE,
              STK_PARAMETERS(values_parameters)},
     .build = tensors},
    {.info = {"slices", "the rows of these values, one element each", STK_RECIPE_SOURCE,
              STK_PARAMETERS(values_parameters)},
     .build = slices},
    {.info = {"elements", "these elements, in order", STK_RECIPE_SOURCE,
              STK_PARAMETERS(elements_parameters)},
     .build = elements},
};

const stk_entries stk_recipe_sources = {entries, STK_COUNT_OF(entries)};
