/* Stages that gather elements: windows, groups by key, buckets by length. */
#include "pipeline/recipe/padding.h"
#include "pipeline/recipe/recipe_table.h"

static const stk_recipe_parameter window_parameters[] = {
    {"size", STK_RECIPE_INTEGER, .required = true, .least = 1, .help = "elements of a window"},
    {"shift", STK_RECIPE_INTEGER, .default_value = "size", .least = 1,
     .words = STK_PARAM_WORDS("size"), .values = (const int[]){-1},
     .help = "from the start of one to the start of the next"},
    {"stride", STK_RECIPE_INTEGER, .default_value = "1", .least = 1,
     .help = "between the elements of a window"},
    {"drop_remainder", STK_RECIPE_BOOL, .default_value = "false", .help = "only whole windows"},
};

static stk_status window(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                         stk_error *err)
{
    (void)recipe;
    const stk_argument      *a = bound->arguments;
    const stk_window_options options = {
        .shift = a[1].integer, .stride = a[2].integer, .drop_remainder = a[3].truth};
    return stk_dataset_window(data, a[0].integer, &options, err);
}

static const stk_recipe_parameter group_parameters[] = {
    {"key", STK_RECIPE_FUNCTION, .required = true, .role = STK_RECIPE_KEY,
     .help = "elements of equal key gather"},
    {"reduce", STK_RECIPE_STAGES, .required = true, .role = STK_RECIPE_STAGE,
     .help = "stages on top of each full window"},
    {"size", STK_RECIPE_INTEGER, .least = 1, .help = "elements of a window"},
    {"window_size", STK_RECIPE_FUNCTION, .role = STK_RECIPE_KEY,
     .help = "instead of size: the elements of a window by its key"},
};

/* Both sizes come from what is given; the operator itself refuses 0. */
static stk_status group_with(stk_recipe *recipe, const stk_recipe_call *bound, stk_function *key,
                             stk_function *reduce, stk_dataset **data, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    stk_function       *size = NULL;
    if (a[2].given == a[3].given)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, bound->line, "group_by_window",
                             "give either size or window_size");
    if (a[3].given) {
        static const stk_value_spec number = {
            .name = "key", .dtype = STK_DTYPE_I64, .rank_known = true};
        static const stk_element_spec of_key = {.known = true, .count = 1, .values = &number};
        STK_TRY(stk_recipe_make(recipe, a[3].function, &of_key, &size, err));
    }
    stk_status st = stk_dataset_group_by_window(data, key, reduce, a[2].integer, size, err);
    stk_function_unref(size);
    return st;
}

static stk_status group_by_window(stk_recipe *recipe, const stk_recipe_call *bound,
                                  stk_dataset **data, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    stk_function       *key, *reduce = NULL;
    STK_TRY(stk_recipe_make(recipe, a[0].function, stk_dataset_spec(*data), &key, err));
    stk_status st = stk_recipe_make_inner(recipe, &a[1], NULL, &reduce, err);
    if (!st) st = group_with(recipe, bound, key, reduce, data, err);
    stk_function_unref(key);
    stk_function_unref(reduce);
    return st;
}

enum { LENGTH, BOUNDARIES, SIZES, TO_BOUNDARY, NO_PADDING, DROP, SHAPES, PADDING };

static const stk_recipe_parameter bucket_parameters[] = {
    [LENGTH] = {"length", STK_RECIPE_FUNCTION, .default_value = "length", .role = STK_RECIPE_KEY,
                .help = "of an element"},
    [BOUNDARIES] = {"boundaries", STK_RECIPE_INTEGERS, .required = true,
                    .help = "lengths where the next bucket begins"},
    [SIZES] = {"batch_sizes", STK_RECIPE_INTEGERS, .required = true, .least = 1,
               .help = "one per bucket: one more than boundaries"},
    [TO_BOUNDARY] = {"pad_to_boundary", STK_RECIPE_BOOL, .default_value = "false",
                     .help = "to one less than the bucket's end"},
    [NO_PADDING] = {"no_padding", STK_RECIPE_BOOL, .default_value = "false",
                    .help = "the shapes of a bucket are equal"},
    [DROP] = {"drop_remainder", STK_RECIPE_BOOL, .default_value = "false",
              .help = "without batches that are not full at the end"},
    [SHAPES] = {"shapes", STK_RECIPE_SHAPES, .help = "as in padded_batch"},
    [PADDING] = {"padding", STK_RECIPE_CONSTANTS, .help = "as in padded_batch"},
};

static stk_status bucket_with(stk_recipe *recipe, const stk_recipe_call *bound,
                              stk_function *length, stk_dataset **data, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    stk_padding         padding;
    if (a[SIZES].count != a[BOUNDARIES].count + 1)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, bound->line, "bucket_by_length",
                             "%zu boundaries make %zu buckets, but %zu batch_sizes are given",
                             a[BOUNDARIES].count, a[BOUNDARIES].count + 1, a[SIZES].count);
    STK_TRY(stk_padding_init(&padding, recipe, bound, &a[SHAPES], &a[PADDING],
                             stk_dataset_spec(*data), err));
    const stk_bucket_options options = {.boundaries = a[BOUNDARIES].integers,
                                        .boundary_count = a[BOUNDARIES].count,
                                        .batch_sizes = a[SIZES].integers,
                                        .batch_size_count = a[SIZES].count,
                                        .pad_to_boundary = a[TO_BOUNDARY].truth,
                                        .no_padding = a[NO_PADDING].truth,
                                        .drop_remainder = a[DROP].truth,
                                        .shapes = padding.shapes,
                                        .padding = padding.padding,
                                        .value_count = padding.count};
    stk_status               st = stk_dataset_bucket_by_length(data, length, &options, err);
    stk_padding_release(&padding);
    return st;
}

static stk_status bucket_by_length(stk_recipe *recipe, const stk_recipe_call *bound,
                                   stk_dataset **data, stk_error *err)
{
    stk_function *length;
    STK_TRY(stk_recipe_make(recipe, bound->arguments[LENGTH].function, stk_dataset_spec(*data),
                            &length, err));
    stk_status st = bucket_with(recipe, bound, length, data, err);
    stk_function_unref(length);
    return st;
}

static const stk_recipe_parameter resample_parameters[] = {
    {"class_of", STK_RECIPE_FUNCTION, .required = true, .role = STK_RECIPE_KEY,
     .help = "the class of an element, from 0"},
    {"target", STK_RECIPE_NUMBERS, .required = true, .help = "how often each class shall come"},
    {"initial", STK_RECIPE_NUMBERS, .help = "how often each comes; estimated without it"},
    {"seed", STK_RECIPE_INTEGER, .help = "of the draws; the pipeline's without it"},
};

static stk_status rejection_resample(stk_recipe *recipe, const stk_recipe_call *bound,
                                     stk_dataset **data, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    stk_function       *class_of;
    if (a[2].given && a[2].count != a[1].count)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, bound->line, "rejection_resample",
                             "target has %zu classes and initial %zu; give both the same",
                             a[1].count, a[2].count);
    STK_TRY(stk_recipe_make(recipe, a[0].function, stk_dataset_spec(*data), &class_of, err));
    const stk_resample_options options = {.target = a[1].reals,
                                          .initial = a[2].reals,
                                          .class_count = a[1].count,
                                          .seed = (uint64_t)a[3].integer,
                                          .seeded = a[3].given};
    stk_status                 st = stk_dataset_rejection_resample(data, class_of, &options, err);
    stk_function_unref(class_of);
    return st;
}

static const stk_recipe_row entries[] = {
    {.info = {"window", "windows of elements, each a dataset", STK_RECIPE_STAGE,
              STK_PARAMETERS(window_parameters)},
     .build = window},
    {.info = {"group_by_window", "windows of elements of equal key, through stages",
              STK_RECIPE_STAGE, STK_PARAMETERS(group_parameters)},
     .build = group_by_window},
    {.info = {"bucket_by_length", "padded batches of elements of like length", STK_RECIPE_STAGE,
              STK_PARAMETERS(bucket_parameters)},
     .build = bucket_by_length},
    {.info = {"rejection_resample", "drops elements so that their classes come as wanted",
              STK_RECIPE_STAGE, STK_PARAMETERS(resample_parameters)},
     .build = rejection_resample},
};

const stk_entries stk_recipe_group_stages = {entries, STK_COUNT_OF(entries)};
