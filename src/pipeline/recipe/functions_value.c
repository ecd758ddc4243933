/* Functions that choose, name, read and parse values. */
#include "pipeline/recipe/recipe_table.h"

enum { MOST_SELECTED = 64 };

static stk_status identity(stk_recipe *recipe, const stk_recipe_call *bound,
                           const stk_element_spec *input, stk_function **out, stk_error *err)
{
    (void)recipe;
    (void)bound;
    (void)input;
    return stk_function_identity(out, err);
}

static const stk_recipe_parameter select_parameters[] = {
    {"values", STK_RECIPE_VALUES, .required = true, .help = "which values, in this order"},
};

static stk_status select_values(stk_recipe *recipe, const stk_recipe_call *bound,
                                const stk_element_spec *input, stk_function **out, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    int                 indices[MOST_SELECTED];
    for (size_t i = 0; i < a->count && i < MOST_SELECTED; i++) {
        const stk_argument one = {.line = a->line, .integer = a->integers[i], .text = a->texts[i]};
        STK_TRY(stk_recipe_value(recipe, &one, "select", input, &indices[i], err));
    }
    return stk_function_select(out, indices, a->count, err);
}

static const stk_recipe_parameter rename_parameters[] = {
    {"names", STK_RECIPE_TEXTS, .required = true, .help = "a name for every value"},
};

static stk_status rename_values(stk_recipe *recipe, const stk_recipe_call *bound,
                                const stk_element_spec *input, stk_function **out, stk_error *err)
{
    (void)recipe;
    (void)input;
    return stk_function_rename(out, bound->arguments[0].texts, bound->arguments[0].count, err);
}

static const stk_recipe_parameter decode_parameters[] = {
    {"dtype", STK_RECIPE_DTYPE, .required = true, .help = "the type of the numbers"},
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value"},
};

static stk_status decode_raw(stk_recipe *recipe, const stk_recipe_call *bound,
                             const stk_element_spec *input, stk_function **out, stk_error *err)
{
    int value;
    STK_TRY(stk_recipe_value(recipe, &bound->arguments[1], "decode_raw", input, &value, err));
    return stk_function_decode_raw(out, value, (stk_dtype)bound->arguments[0].integer, err);
}

static const stk_recipe_parameter read_parameters[] = {
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value is the path"},
    {"folder", STK_RECIPE_PATH, .help = "where relative paths begin; the recipe's folder without"},
    {"limit_bytes", STK_RECIPE_INTEGER, .default_value = "0",
     .help = "a larger file is an error; 0 means 1 GiB"},
};

static stk_status read_file(stk_recipe *recipe, const stk_recipe_call *bound,
                            const stk_element_spec *input, stk_function **out, stk_error *err)
{
    const stk_argument         *a = bound->arguments;
    const stk_read_file_options options = {.fs = recipe->fs,
                                           .folder = a[1].given ? a[1].text : recipe->folder,
                                           .limit_bytes = (uint64_t)a[2].integer};
    int                         value;
    STK_TRY(stk_recipe_value(recipe, &a[0], "read_file", input, &value, err));
    return stk_function_read_file(out, value, &options, err);
}

static const stk_recipe_parameter example_parameters[] = {
    {"features", STK_RECIPE_FEATURES, .required = true,
     .help = "name: int64, float32 or bytes, or name: {dtype, shape, kind, default}"},
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value is the record"},
};

static stk_status parse_example(stk_recipe *recipe, const stk_recipe_call *bound,
                                const stk_element_spec *input, stk_function **out, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    stk_feature_spec   *specs;
    size_t              count;
    int                 value;
    stk_arena           arena;
    STK_TRY(stk_recipe_value(recipe, &a[1], "parse_example", input, &value, err));
    stk_arena_init(&arena, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_recipe_features(recipe, a[0].tree, &arena, &specs, &count, err);
    if (!st) st = stk_function_parse_example(out, value, specs, count, err);
    stk_arena_release(&arena);
    return st;
}

static const stk_recipe_parameter sequence_parameters[] = {
    {"context", STK_RECIPE_FEATURES, .help = "features of the whole, as in parse_example"},
    {"lists", STK_RECIPE_FEATURES,
     .help = "of steps: name: int64, float32 or bytes, or name: {dtype, shape, kind, missing}"},
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value is the record"},
};

static stk_status parse_sequence_example(stk_recipe *recipe, const stk_recipe_call *bound,
                                         const stk_element_spec *input, stk_function **out,
                                         stk_error *err)
{
    const stk_argument *a = bound->arguments;
    stk_feature_spec   *features = NULL;
    stk_sequence_spec  *lists = NULL;
    size_t              feature_count = 0, list_count = 0;
    int                 value;
    stk_arena           arena;
    STK_TRY(stk_recipe_value(recipe, &a[2], "parse_sequence_example", input, &value, err));
    stk_arena_init(&arena, NULL, STK_MEMORY_INDEX);
    stk_status st = STK_OK;
    if (a[0].given)
        st = stk_recipe_features(recipe, a[0].tree, &arena, &features, &feature_count, err);
    if (!st && a[1].given)
        st = stk_recipe_lists(recipe, a[1].tree, &arena, &lists, &list_count, err);
    if (!st)
        st = stk_function_parse_sequence_example(out, value, features, feature_count, lists,
                                                 list_count, err);
    stk_arena_release(&arena);
    return st;
}

static const stk_recipe_row entries[] = {
    {.info = {"identity", "the element as it is", STK_RECIPE_MAP, .parameters = NULL},
     .make = identity},
    {.info = {"select", "some of the values", STK_RECIPE_MAP, STK_PARAMETERS(select_parameters)},
     .make = select_values},
    {.info = {"rename", "other names for the values", STK_RECIPE_MAP,
              STK_PARAMETERS(rename_parameters)},
     .make = rename_values},
    {.info = {"decode_raw", "bytes to a vector of numbers", STK_RECIPE_MAP,
              STK_PARAMETERS(decode_parameters)},
     .make = decode_raw},
    {.info = {"read_file", "a path to the bytes of its file", STK_RECIPE_MAP,
              STK_PARAMETERS(read_parameters)},
     .make = read_file},
    {.info = {"parse_example", "a tf.train.Example to its features", STK_RECIPE_MAP,
              STK_PARAMETERS(example_parameters)},
     .make = parse_example},
    {.info = {"parse_sequence_example", "a tf.train.SequenceExample to its context and its lists",
              STK_RECIPE_MAP, STK_PARAMETERS(sequence_parameters)},
     .make = parse_sequence_example},
};

const stk_entries stk_recipe_value_functions = {entries, STK_COUNT_OF(entries)};
