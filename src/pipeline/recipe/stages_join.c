/* Stages with several inputs: zip, concatenate, sample_from, choose_from. The data so far, if any,
 * is the first of them. */
#include "pipeline/recipe/recipe_table.h"

#include <stdlib.h>

typedef struct inputs {
    stk_dataset **list;
    size_t        count;
} inputs;

static void release(inputs *in)
{
    for (size_t i = 0; i < in->count; i++)
        stk_dataset_unref(in->list[i]);
    free(in->list);
}

static stk_status build_inputs(inputs *in, stk_recipe *recipe, const stk_argument *argument,
                               stk_dataset *first, stk_error *err)
{
    *in = (inputs){.list = calloc(argument->count + 2, sizeof(stk_dataset *))};
    if (!in->list)
        return stk_fail(err, STK_E_NOMEM, "recipe", recipe->name, "no memory for inputs");
    if (first) in->list[in->count++] = stk_dataset_ref(first);
    stk_status st = STK_OK;
    for (size_t i = 0; i < argument->count && !st; i++)
        st = stk_recipe_build(recipe, &argument->stages[i], &in->list[in->count++], err);
    if (st) release(in);
    return st;
}

static stk_status need_inputs(const stk_recipe *recipe, const stk_recipe_call *bound,
                              const inputs *in, stk_error *err)
{
    return in->count ? STK_OK
                     : stk_yaml_fail(err, STK_E_INVALID, recipe->name, bound->line,
                                     bound->entry->info.name, "there is no input");
}

/* Puts made in the place of *data. */
static void replace(stk_dataset **data, stk_dataset *made)
{
    stk_dataset_unref(*data);
    *data = made;
}

#define INPUTS_PARAMETER                                                                           \
    {                                                                                              \
        "inputs", STK_RECIPE_INPUTS, .required = true, .help = "each a list of stages"             \
    }

static const stk_recipe_parameter inputs_parameters[] = {INPUTS_PARAMETER};

static stk_status zip(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                      stk_error *err)
{
    inputs       in;
    stk_dataset *made = NULL;
    STK_TRY(build_inputs(&in, recipe, &bound->arguments[0], *data, err));
    stk_status st = need_inputs(recipe, bound, &in, err);
    if (!st) st = stk_dataset_zip(&made, in.list, in.count, err);
    if (!st) replace(data, made);
    release(&in);
    return st;
}

static stk_status concatenate(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                              stk_error *err)
{
    inputs       in;
    stk_dataset *made = NULL;
    STK_TRY(build_inputs(&in, recipe, &bound->arguments[0], *data, err));
    stk_status st = need_inputs(recipe, bound, &in, err);
    if (!st) st = stk_dataset_concatenate(&made, in.list, in.count, err);
    if (!st) replace(data, made);
    release(&in);
    return st;
}

static const stk_recipe_parameter sample_parameters[] = {
    INPUTS_PARAMETER,
    {"weights", STK_RECIPE_NUMBERS, .help = "one per input; all equal without it"},
    {"stop_on_empty", STK_RECIPE_BOOL, .default_value = "false",
     .help = "ends with the first to end"},
    {"seed", STK_RECIPE_INTEGER, .help = "of the draws; the pipeline's without it"},
    {"same_each_epoch", STK_RECIPE_BOOL, .default_value = "false",
     .help = "every epoch in the order of the first"},
};

static stk_status sample_with(stk_recipe *recipe, const stk_recipe_call *bound, const inputs *in,
                              stk_dataset **out, stk_error *err)
{
    const stk_argument *a = bound->arguments;
    STK_TRY(need_inputs(recipe, bound, in, err));
    if (a[1].given && a[1].count != in->count)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, bound->line, "sample_from",
                             "there are %zu inputs and %zu weights; give one weight per input",
                             in->count, a[1].count);
    const stk_sample_options options = {.weights = a[1].reals,
                                        .weight_count = a[1].count,
                                        .stop_on_empty = a[2].truth,
                                        .seed = (uint64_t)a[3].integer,
                                        .seeded = a[3].given,
                                        .same_each_epoch = a[4].truth};
    return stk_dataset_sample_from(out, in->list, in->count, &options, err);
}

static stk_status sample_from(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                              stk_error *err)
{
    inputs       in;
    stk_dataset *made = NULL;
    STK_TRY(build_inputs(&in, recipe, &bound->arguments[0], *data, err));
    stk_status st = sample_with(recipe, bound, &in, &made, err);
    if (!st) replace(data, made);
    release(&in);
    return st;
}

static const stk_recipe_parameter choose_parameters[] = {
    INPUTS_PARAMETER,
    {"choices", STK_RECIPE_STAGES, .required = true, .role = STK_RECIPE_SOURCE,
     .help = "stages that give the numbers of inputs"},
    {"stop_on_empty", STK_RECIPE_BOOL, .default_value = "false",
     .help = "ends with the first to end"},
};

static stk_status choose_from(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                              stk_error *err)
{
    const stk_argument *a = bound->arguments;
    inputs              in;
    stk_dataset        *made = NULL, *choices = NULL;
    STK_TRY(build_inputs(&in, recipe, &a[0], *data, err));
    stk_status st = need_inputs(recipe, bound, &in, err);
    if (!st) st = stk_recipe_build(recipe, a[1].stages, &choices, err);
    const stk_choose_options options = {.stop_on_empty = a[2].truth};
    if (!st) st = stk_dataset_choose_from(&made, in.list, in.count, choices, &options, err);
    if (!st) replace(data, made);
    stk_dataset_unref(choices);
    release(&in);
    return st;
}

static const stk_recipe_row entries[] = {
    {.info = {"zip", "the values of all inputs side by side", STK_RECIPE_EITHER,
              STK_PARAMETERS(inputs_parameters)},
     .build = zip},
    {.info = {"concatenate", "all of one input, then all of the next", STK_RECIPE_EITHER,
              STK_PARAMETERS(inputs_parameters)},
     .build = concatenate},
    {.info = {"sample_from", "elements of inputs drawn by weight", STK_RECIPE_EITHER,
              STK_PARAMETERS(sample_parameters)},
     .build = sample_from},
    {.info = {"choose_from", "elements of inputs as choices say", STK_RECIPE_EITHER,
              STK_PARAMETERS(choose_parameters)},
     .build = choose_from},
};

const stk_entries stk_recipe_join_stages = {entries, STK_COUNT_OF(entries)};
