/* Stages that choose and order elements: shuffle, repeat, take, skip, shard,
 * autoshard. */
#include "pipeline/recipe/recipe_table.h"

#define SHUFFLE_PARAMETERS                                                                         \
    {"seed", STK_RECIPE_INTEGER, .help = "of the order; the pipeline's without it"},               \
    {                                                                                              \
        "same_each_epoch", STK_RECIPE_BOOL, .default_value = "false",                              \
                                            .help = "every epoch in the order of the first"        \
    }

static stk_shuffle_options shuffle_of(const stk_argument *a)
{
    return (stk_shuffle_options){
        .seed = (uint64_t)a[0].integer, .seeded = a[0].given, .same_each_epoch = a[1].truth};
}

static const stk_recipe_parameter shuffle_parameters[] = {
    {"buffer", STK_RECIPE_INTEGER, .required = true, .least = 1, .words = STK_PARAM_WORDS("whole"),
     .values = (const int[]){-2}, .help = "elements to draw from; whole: all of an epoch"},
    SHUFFLE_PARAMETERS,
};

static stk_status shuffle(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                          stk_error *err)
{
    (void)recipe;
    const stk_shuffle_options options = shuffle_of(bound->arguments + 1);
    return stk_dataset_shuffle(data, bound->arguments[0].integer, &options, err);
}

static const stk_recipe_parameter global_parameters[] = {SHUFFLE_PARAMETERS};

static stk_status global_shuffle(stk_recipe *recipe, const stk_recipe_call *bound,
                                 stk_dataset **data, stk_error *err)
{
    (void)recipe;
    const stk_shuffle_options options = shuffle_of(bound->arguments);
    return stk_dataset_global_shuffle(data, &options, err);
}

static const stk_recipe_parameter repeat_parameters[] = {
    {"count", STK_RECIPE_INTEGER, .default_value = "forever", .least = -1,
     .words = STK_PARAM_WORDS("forever"), .values = (const int[]){-1}, .help = "how often"},
};

static stk_status repeat(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                         stk_error *err)
{
    (void)recipe;
    return stk_dataset_repeat(data, bound->arguments[0].integer, err);
}

static const stk_recipe_parameter count_parameters[] = {
    {"count", STK_RECIPE_INTEGER, .required = true, .least = -1, .words = STK_PARAM_WORDS("all"),
     .values = (const int[]){-1}, .help = "how many elements"},
};

static stk_status take(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                       stk_error *err)
{
    (void)recipe;
    return stk_dataset_take(data, bound->arguments[0].integer, err);
}

static stk_status skip(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                       stk_error *err)
{
    (void)recipe;
    return stk_dataset_skip(data, bound->arguments[0].integer, err);
}

static const stk_recipe_parameter shard_parameters[] = {
    {"shards", STK_RECIPE_INTEGER, .required = true, .least = 1, .help = "how many parts"},
    {"index", STK_RECIPE_INTEGER, .required = true, .help = "which of them, from 0"},
};

static stk_status shard(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                        stk_error *err)
{
    (void)recipe;
    return stk_dataset_shard(data, bound->arguments[0].integer, bound->arguments[1].integer, err);
}

static const stk_recipe_parameter autoshard_parameters[] = {
    {"mode", STK_RECIPE_CHOICE, .default_value = "auto",
     .words = STK_PARAM_WORDS("auto", "file", "data", "off"),
     .help = "by files, by elements; auto: by files where possible"},
    {"workers", STK_RECIPE_INTEGER, .required = true, .least = 1,
     .help = "how many share the data"},
    {"index", STK_RECIPE_INTEGER, .required = true, .help = "which of them this is, from 0"},
};

static stk_status autoshard(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                            stk_error *err)
{
    (void)recipe;
    const stk_argument *a = bound->arguments;
    return stk_dataset_autoshard(data, (stk_autoshard)a[0].integer, a[1].integer, a[2].integer,
                                 err);
}

static const stk_recipe_row entries[] = {
    {.info = {"shuffle", "elements in a random order, drawn from a buffer", STK_RECIPE_STAGE,
              STK_PARAMETERS(shuffle_parameters)},
     .build = shuffle},
    {.info = {"global_shuffle", "a random order over the whole, in no memory", STK_RECIPE_STAGE,
              STK_PARAMETERS(global_parameters)},
     .build = global_shuffle},
    {.info = {"repeat", "all elements again and again", STK_RECIPE_STAGE,
              STK_PARAMETERS(repeat_parameters)},
     .build = repeat},
    {.info = {"take", "the first elements", STK_RECIPE_STAGE, STK_PARAMETERS(count_parameters)},
     .build = take},
    {.info = {"skip", "all but the first elements", STK_RECIPE_STAGE,
              STK_PARAMETERS(count_parameters)},
     .build = skip},
    {.info = {"shard", "every so many-th element", STK_RECIPE_STAGE,
              STK_PARAMETERS(shard_parameters)},
     .build = shard},
    {.info = {"autoshard", "one worker's part of the data, by files or elements", STK_RECIPE_STAGE,
              STK_PARAMETERS(autoshard_parameters)},
     .build = autoshard},
};

const stk_entries stk_recipe_order_stages = {entries, STK_COUNT_OF(entries)};
