/* Functions that make a dataset of an element. */
#include "pipeline/recipe/recipe_table.h"

static const stk_recipe_parameter value_parameters[] = {
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value"},
};

static stk_status range_to(stk_recipe *recipe, const stk_recipe_call *bound,
                           const stk_element_spec *input, stk_function **out, stk_error *err)
{
    int value;
    STK_TRY(stk_recipe_value(recipe, &bound->arguments[0], "range_to", input, &value, err));
    return stk_function_range_to(out, value, err);
}

static stk_status copies(stk_recipe *recipe, const stk_recipe_call *bound,
                         const stk_element_spec *input, stk_function **out, stk_error *err)
{
    int value;
    STK_TRY(stk_recipe_value(recipe, &bound->arguments[0], "copies", input, &value, err));
    return stk_function_copies(out, value, err);
}

static stk_status slices(stk_recipe *recipe, const stk_recipe_call *bound,
                         const stk_element_spec *input, stk_function **out, stk_error *err)
{
    (void)recipe;
    (void)bound;
    (void)input;
    return stk_function_slices(out, err);
}

static const stk_recipe_parameter flatten_parameters[] = {
    {"value", STK_RECIPE_VALUE, .default_value = "first", .words = STK_PARAM_WORDS("first"),
     .values = (const int[]){-1}, .help = "which value is the dataset"},
};

static stk_status flatten(stk_recipe *recipe, const stk_recipe_call *bound,
                          const stk_element_spec *input, stk_function **out, stk_error *err)
{
    int value;
    STK_TRY(stk_recipe_value(recipe, &bound->arguments[0], "flatten", input, &value, err));
    return stk_function_flatten(out, value, err);
}

static const stk_recipe_parameter file_parameters[] = {
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value is the path"},
    {"folder", STK_RECIPE_PATH, .help = "where relative paths begin; the recipe's folder without"},
    {"compression", STK_RECIPE_CHOICE, .default_value = "auto",
     .words = STK_PARAM_WORDS("auto", "none", "gzip", "zlib", "zstd"),
     .help = "of the files; auto looks at their content"},
    {"buffer_bytes", STK_RECIPE_INTEGER, .default_value = "0",
     .help = "read at a time; 0 means 256 KiB"},
    {"max_record_bytes", STK_RECIPE_INTEGER, .default_value = "0",
     .help = "a longer record is an error; 0 means 1 GiB"},
    {"damage", STK_RECIPE_CHOICE, .default_value = "next_file",
     .words = STK_PARAM_WORDS("next_file", "resync"),
     .help = "after a damaged record: go on with the next file, or the next sound record"},
};

typedef stk_status (*make_fn)(stk_function **out, int value, const stk_filesystem *fs,
                              const char *folder, const stk_records_options *options,
                              stk_error *err);

static stk_status of_file(stk_recipe *recipe, const stk_recipe_call *bound,
                          const stk_element_spec *input, make_fn make, stk_function **out,
                          stk_error *err)
{
    const stk_argument       *a = bound->arguments;
    const stk_records_options options = {.compression = (stk_compression)a[2].integer,
                                         .buffer_bytes = (size_t)a[3].integer,
                                         .max_record_bytes = (uint64_t)a[4].integer,
                                         .damage = (stk_damage)a[5].integer};
    int                       value;
    STK_TRY(stk_recipe_value(recipe, &a[0], bound->entry->info.name, input, &value, err));
    return make(out, value, recipe->fs, a[1].given ? a[1].text : recipe->folder, &options, err);
}

static stk_status tfrecord(stk_recipe *recipe, const stk_recipe_call *bound,
                           const stk_element_spec *input, stk_function **out, stk_error *err)
{
    return of_file(recipe, bound, input, stk_function_tfrecord, out, err);
}

static stk_status text(stk_recipe *recipe, const stk_recipe_call *bound,
                       const stk_element_spec *input, stk_function **out, stk_error *err)
{
    return of_file(recipe, bound, input, stk_function_text, out, err);
}

static const stk_recipe_row entries[] = {
    {.info = {"range_to", "x to the numbers 0 to x - 1", STK_RECIPE_EXPAND,
              STK_PARAMETERS(value_parameters)},
     .make = range_to},
    {.info = {"copies", "x to x copies of the element", STK_RECIPE_EXPAND,
              STK_PARAMETERS(value_parameters)},
     .make = copies},
    {.info = {"slices", "the rows of the element", STK_RECIPE_EXPAND, .parameters = NULL},
     .make = slices},
    {.info = {"flatten", "the dataset that is a value, as window makes them", STK_RECIPE_EXPAND,
              STK_PARAMETERS(flatten_parameters)},
     .make = flatten},
    {.info = {"tfrecord", "a path to the records of that file", STK_RECIPE_EXPAND,
              STK_PARAMETERS(file_parameters)},
     .make = tfrecord},
    {.info = {"text", "a path to the lines of that file", STK_RECIPE_EXPAND,
              STK_PARAMETERS(file_parameters)},
     .make = text},
};

const stk_entries stk_recipe_expand_functions = {entries, STK_COUNT_OF(entries)};
