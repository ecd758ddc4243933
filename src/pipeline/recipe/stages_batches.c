/* Stages that put elements together and take them apart again. */
#include "pipeline/recipe/padding.h"
#include "pipeline/recipe/recipe_table.h"

#define SIZE_PARAMETER                                                                             \
    {                                                                                              \
        "size", STK_RECIPE_INTEGER, .required = true, .least = 1, .help = "elements of a batch"    \
    }
#define DROP_PARAMETER                                                                             \
    {                                                                                              \
        "drop_remainder", STK_RECIPE_BOOL, .default_value = "false",                               \
                                           .help = "without the last one when it is smaller"       \
    }

static const stk_recipe_parameter batch_parameters[] = {SIZE_PARAMETER, DROP_PARAMETER};

static stk_status batch(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                        stk_error *err)
{
    (void)recipe;
    const stk_batch_options options = {.drop_remainder = bound->arguments[1].truth};
    return stk_dataset_batch(data, bound->arguments[0].integer, &options, err);
}

static stk_status ragged_batch(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                               stk_error *err)
{
    (void)recipe;
    const stk_batch_options options = {.drop_remainder = bound->arguments[1].truth};
    return stk_dataset_ragged_batch(data, bound->arguments[0].integer, &options, err);
}

static const stk_recipe_parameter padded_batch_parameters[] = {
    SIZE_PARAMETER,
    DROP_PARAMETER,
    {"shapes", STK_RECIPE_SHAPES, .help = "one per value; -1: the longest in the batch"},
    {"padding", STK_RECIPE_CONSTANTS, .help = "one per value; 0 and \"\" without it"},
};

static stk_status padded_batch(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                               stk_error *err)
{
    const stk_argument *a = bound->arguments;
    stk_padding         padding;
    STK_TRY(stk_padding_init(&padding, recipe, bound, &a[2], &a[3], stk_dataset_spec(*data), err));
    const stk_padded_batch_options options = {.drop_remainder = a[1].truth,
                                              .shapes = padding.shapes,
                                              .padding = padding.padding,
                                              .value_count = padding.count};
    stk_status                     st = stk_dataset_padded_batch(data, a[0].integer, &options, err);
    stk_padding_release(&padding);
    return st;
}

static const stk_recipe_parameter sparse_batch_parameters[] = {
    SIZE_PARAMETER,
    {"row_shape", STK_RECIPE_SHAPE, .required = true, .help = "of a row; -1: the largest"},
};

static stk_status sparse_batch(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                               stk_error *err)
{
    (void)recipe;
    return stk_dataset_sparse_batch(data, bound->arguments[0].integer, bound->arguments[1].shapes,
                                    err);
}

static stk_status unbatch(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                          stk_error *err)
{
    (void)recipe;
    (void)bound;
    return stk_dataset_unbatch(data, err);
}

static const stk_recipe_parameter rebatch_parameters[] = {
    {"sizes", STK_RECIPE_INTEGERS, .required = true, .help = "used in turn; 0: an empty batch"},
    DROP_PARAMETER,
};

static stk_status rebatch(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                          stk_error *err)
{
    (void)recipe;
    const stk_argument     *a = bound->arguments;
    const stk_batch_options options = {.drop_remainder = a[1].truth};
    return stk_dataset_rebatch(data, a[0].integers, a[0].count, &options, err);
}

static const stk_recipe_row entries[] = {
    {.info = {"batch", "elements of equal shapes, one below the other", STK_RECIPE_STAGE,
              STK_PARAMETERS(batch_parameters)},
     .build = batch},
    {.info = {"padded_batch", "elements of different shapes, filled up", STK_RECIPE_STAGE,
              STK_PARAMETERS(padded_batch_parameters)},
     .build = padded_batch},
    {.info = {"ragged_batch", "elements of different lengths, as ragged values", STK_RECIPE_STAGE,
              STK_PARAMETERS(batch_parameters)},
     .build = ragged_batch},
    {.info = {"sparse_batch", "elements of one value as sparse batches", STK_RECIPE_STAGE,
              STK_PARAMETERS(sparse_batch_parameters)},
     .build = sparse_batch},
    {.info = {"unbatch", "the rows of batches as elements", STK_RECIPE_STAGE, .parameters = NULL},
     .build = unbatch},
    {.info = {"rebatch", "batches cut anew", STK_RECIPE_STAGE, STK_PARAMETERS(rebatch_parameters)},
     .build = rebatch},
};

const stk_entries stk_recipe_batch_stages = {entries, STK_COUNT_OF(entries)};
