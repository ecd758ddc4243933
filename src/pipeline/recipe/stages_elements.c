/* Stages that look at one element at a time: map, filter, flat_map, interleave, scan and others. */
#include "pipeline/recipe/recipe_compare.h"
#include "pipeline/recipe/recipe_table.h"

#define ORDER_PARAMETER                                                                            \
    {                                                                                              \
        "order", STK_RECIPE_CHOICE, .default_value = "default",                                    \
                                    .words = STK_PARAM_WORDS("default", "exact", "relaxed"),       \
                                    .help = "relaxed: elements as they are ready"                  \
    }

static const stk_recipe_parameter map_parameters[] = {
    {"function", STK_RECIPE_FUNCTION, .required = true, .role = STK_RECIPE_MAP, .here = true,
     .help = "called on every element"},
    {"parallel", STK_RECIPE_INTEGER, .default_value = "auto", .least = 1,
     .words = STK_PARAM_WORDS("auto"), .values = (const int[]){-1}, .help = "most calls at a time"},
    ORDER_PARAMETER,
};

static stk_status map(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                      stk_error *err)
{
    const stk_argument   *a = bound->arguments;
    const stk_map_options options = {.parallel = a[1].integer, .order = (stk_order)a[2].integer};
    stk_function         *function;
    STK_TRY(stk_recipe_make(recipe, a[0].function, stk_dataset_spec(*data), &function, err));
    stk_status st = stk_dataset_map(data, function, &options, err);
    stk_function_unref(function);
    return st;
}

static const stk_recipe_parameter test_parameters[] = {STK_COMPARE_PARAMETERS};

static stk_status test(stk_recipe *recipe, const stk_recipe_call *bound,
                       stk_status (*stage)(stk_dataset **data, stk_function *function,
                                           stk_error *err),
                       stk_dataset **data, stk_error *err)
{
    stk_function *function;
    STK_TRY(stk_recipe_make_compare(recipe, bound, stk_dataset_spec(*data), &function, err));
    stk_status st = stage(data, function, err);
    stk_function_unref(function);
    return st;
}

static stk_status filter(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                         stk_error *err)
{
    return test(recipe, bound, stk_dataset_filter, data, err);
}

static stk_status take_while(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                             stk_error *err)
{
    return test(recipe, bound, stk_dataset_take_while, data, err);
}

#define EXPAND_PARAMETERS                                                                          \
    {"function",       STK_RECIPE_FUNCTION,                                                        \
     .required = true, .role = STK_RECIPE_EXPAND,                                                  \
     .here = true,     .help = "makes a dataset of every element"},                                \
    {                                                                                              \
        "then", STK_RECIPE_STAGES, .role = STK_RECIPE_STAGE,                                       \
                                   .help = "stages on top of each of these datasets"               \
    }

static stk_status make_expand(stk_recipe *recipe, const stk_argument *a, const stk_dataset *data,
                              stk_function **out, stk_error *err)
{
    stk_function *expand;
    STK_TRY(stk_recipe_make(recipe, a[0].function, stk_dataset_spec(data), &expand, err));
    return stk_recipe_make_inner(recipe, &a[1], expand, out, err);
}

static const stk_recipe_parameter flat_map_parameters[] = {EXPAND_PARAMETERS};

static stk_status flat_map(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                           stk_error *err)
{
    stk_function *function;
    STK_TRY(make_expand(recipe, bound->arguments, *data, &function, err));
    stk_status st = stk_dataset_flat_map(data, function, err);
    stk_function_unref(function);
    return st;
}

static const stk_recipe_parameter interleave_parameters[] = {
    EXPAND_PARAMETERS,
    {"cycle", STK_RECIPE_INTEGER, .default_value = "auto", .least = 1,
     .words = STK_PARAM_WORDS("auto"), .values = (const int[]){-1},
     .help = "datasets open at a time"},
    {"block", STK_RECIPE_INTEGER, .default_value = "1", .least = 1,
     .help = "elements of one before the next has its turn"},
    {"parallel", STK_RECIPE_INTEGER, .default_value = "0", .words = STK_PARAM_WORDS("auto"),
     .values = (const int[]){-1}, .help = "datasets that run ahead; 0: none"},
    ORDER_PARAMETER,
};

static stk_status interleave(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                             stk_error *err)
{
    const stk_argument          *a = bound->arguments;
    const stk_interleave_options options = {.cycle = a[2].integer,
                                            .block = a[3].integer,
                                            .parallel = a[4].integer,
                                            .order = (stk_order)a[5].integer};
    stk_function                *function;
    STK_TRY(make_expand(recipe, a, *data, &function, err));
    stk_status st = stk_dataset_interleave(data, function, &options, err);
    stk_function_unref(function);
    return st;
}

static const stk_recipe_parameter scan_parameters[] = {
    {"function", STK_RECIPE_FUNCTION, .required = true, .role = STK_RECIPE_SCAN, .here = true,
     .help = "called with the state and every element, in order"},
    {"initial", STK_RECIPE_CONSTANTS, .help = "the values of the first state; one 0 without it"},
};

/* The state of a sum is of the type that it adds up; a count is always int64. */
static stk_status first_state(stk_recipe *recipe, const stk_recipe_call *bound,
                              const stk_dataset *data, stk_element **out, stk_error *err)
{
    static const stk_yaml_node zero = {
        .kind = STK_YAML_SCALAR, .plain = true, .text = "0", .length = 1};
    static const stk_yaml_node alone = {
        .kind = STK_YAML_LIST, .first = (stk_yaml_node *)&zero, .count = 1};
    const stk_element_spec *spec = stk_dataset_spec(data);
    const bool sums = strcmp(bound->arguments[0].function->entry->info.name, "running_sum") == 0;
    const bool numeric = spec->known && spec->count && spec->values[0].dtype >= STK_DTYPE_U8 &&
                         spec->values[0].dtype <= STK_DTYPE_F64;
    const stk_yaml_node *list = bound->arguments[1].given ? bound->arguments[1].tree : &alone;
    return stk_recipe_element(recipe, list, sums && numeric ? spec : NULL, out, err);
}

static stk_status scan(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                       stk_error *err)
{
    stk_element  *initial = NULL;
    stk_function *function;
    STK_TRY(stk_recipe_make(recipe, bound->arguments[0].function, stk_dataset_spec(*data),
                            &function, err));
    stk_status st = first_state(recipe, bound, *data, &initial, err);
    if (!st) st = stk_dataset_scan(data, initial, function, err);
    stk_element_unref(initial);
    stk_function_unref(function);
    return st;
}

static const stk_recipe_parameter enumerate_parameters[] = {
    {"start", STK_RECIPE_INTEGER, .default_value = "0", .least = INT64_MIN,
     .help = "the first number"},
};

static stk_status enumerate(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                            stk_error *err)
{
    (void)recipe;
    return stk_dataset_enumerate(data, bound->arguments[0].integer, err);
}

static stk_status unique(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                         stk_error *err)
{
    (void)recipe;
    (void)bound;
    return stk_dataset_unique(data, err);
}

static const stk_recipe_row entries[] = {
    {.info = {"map", "a function of every element", STK_RECIPE_STAGE,
              STK_PARAMETERS(map_parameters)},
     .build = map},
    {.info = {"filter", "the elements for which a comparison holds", STK_RECIPE_STAGE,
              STK_PARAMETERS(test_parameters)},
     .build = filter},
    {.info = {"take_while", "all before the first for which a comparison does not hold",
              STK_RECIPE_STAGE, STK_PARAMETERS(test_parameters)},
     .build = take_while},
    {.info = {"flat_map", "a dataset of every element, one after the other", STK_RECIPE_STAGE,
              STK_PARAMETERS(flat_map_parameters)},
     .build = flat_map},
    {.info = {"interleave", "a dataset of every element, several in turn", STK_RECIPE_STAGE,
              STK_PARAMETERS(interleave_parameters)},
     .build = interleave},
    {.info = {"scan", "a function with a state", STK_RECIPE_STAGE, STK_PARAMETERS(scan_parameters)},
     .build = scan},
    {.info = {"enumerate", "puts the element's number before its values", STK_RECIPE_STAGE,
              STK_PARAMETERS(enumerate_parameters)},
     .build = enumerate},
    {.info = {"unique", "the first of equal elements", STK_RECIPE_STAGE, .parameters = NULL},
     .build = unique},
};

const stk_entries stk_recipe_element_stages = {entries, STK_COUNT_OF(entries)};
