/* cache: below a repeat, caches in memory the data that is equal in every epoch and costly, after
 * the last deterministic operator: that leaves least to recompute. */
#include "pipeline/operators/auto_cache.h"
#include "pipeline/operators/repeat.h"
#include "pipeline/passes/pass.h"

#include <stdlib.h>

/* Operators known to depend only on their input, over sources that record the epoch of an element.
 * Others, user-defined sources among them, may return something else next time. */
static const struct {
    const char *name;
    bool        costly; /* worth memory */
} pure_stages[] = {
    {"range", false},           {"slices", false},       {"tfrecord", true},
    {"tfrecord_indexed", true}, {"source", true},        {"map", true},
    {"fused_map", true},        {"batch", false},        {"padded_batch", false},
    {"ragged_batch", false},    {"sparse_batch", false}, {"unbatch", false},
    {"rebatch", false},         {"take", false},         {"skip", false},
    {"shard", false},           {"zip", false},          {"concatenate", false},
    {"enumerate", false},       {"prefetch", false},
};

/* Properties of a subtree. */
typedef struct nature {
    bool pure, costly;
} nature;

static nature nature_of(const stk_dataset *data)
{
    const bool random =
        data->traits & (STK_OPERATOR_RANDOM | STK_OPERATOR_RELAXED) || data->cardinality < 0;
    for (size_t i = 0; i < sizeof pure_stages / sizeof *pure_stages && !random; i++)
        if (strcmp(pure_stages[i].name, data->op->name) == 0)
            return (nature){.pure = true, .costly = pure_stages[i].costly};
    return (nature){0};
}

/* Below these the data is read once, or by number: nothing to keep. */
static bool reads_once(const stk_dataset *data)
{
    return !strcmp(data->op->name, "cache") || !strcmp(data->op->name, "snapshot") ||
           !strcmp(data->op->name, "global_shuffle") || !strcmp(data->op->name, "balance") ||
           data->op == &stk_operator_auto_cache;
}

static stk_status wrap_if_worth(stk_dataset **data, nature of, stk_error *err)
{
    stk_dataset *wrapped;
    if (!of.pure || !of.costly) return STK_OK;
    STK_TRY(stk_auto_cache_make(&wrapped, *data, err));
    stk_dataset_unref(*data);
    *data = wrapped;
    return STK_OK;
}

static stk_status insert_cache(stk_dataset *data, stk_dataset **out, nature *of, stk_error *err);

/* Fills inputs, of which all may be pure: then nothing is wrapped yet. */
static stk_status insert_into_inputs(stk_dataset *data, stk_dataset **inputs, nature *natures,
                                     nature *own, stk_error *err)
{
    for (size_t i = 0; i < data->input_count; i++) {
        STK_TRY(insert_cache(data->inputs[i], &inputs[i], &natures[i], err));
        own->pure = own->pure && natures[i].pure;
        own->costly = own->costly || natures[i].costly;
    }
    for (size_t i = 0; i < data->input_count && !own->pure; i++)
        STK_TRY(wrap_if_worth(&inputs[i], natures[i], err));
    return STK_OK;
}

/* Inserts caches at the best positions in data. A completely pure subtree stays unchanged: its
 * cache belongs further up. */
static stk_status insert_cache(stk_dataset *data, stk_dataset **out, nature *of, stk_error *err)
{
    *out = NULL;
    *of = nature_of(data);
    if (!data->input_count || reads_once(data)) {
        *out = stk_dataset_ref(data);
        return STK_OK;
    }
    stk_dataset **inputs = calloc(data->input_count, sizeof *inputs);
    nature       *natures = calloc(data->input_count, sizeof *natures);
    stk_status    st = inputs && natures
                           ? STK_OK
                           : stk_fail(err, STK_E_NOMEM, "optimise", NULL, "no memory for a plan");
    if (!st) st = insert_into_inputs(data, inputs, natures, of, err);
    bool changed = false;
    for (size_t i = 0; i < data->input_count && !st; i++)
        changed = changed || inputs[i] != data->inputs[i];
    if (!st && changed) st = stk_dataset_with_inputs(out, data, inputs, err);
    if (!st && !changed) *out = stk_dataset_ref(data);
    for (size_t i = 0; inputs && i < data->input_count; i++)
        stk_dataset_unref(inputs[i]);
    free(inputs);
    free(natures);
    return st;
}

static bool repeats(const stk_dataset *data)
{
    if (data->op != &stk_operator_repeat) return false;
    const int64_t count = ((const stk_repeat_params *)data->params)->count;
    return count < 0 || count > 1;
}

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)root;
    *out = NULL;
    if (!repeats(data)) {
        *out = stk_dataset_ref(data);
        return STK_OK;
    }
    stk_dataset *input;
    nature       of;
    STK_TRY(insert_cache(data->inputs[0], &input, &of, err));
    stk_status st = wrap_if_worth(&input, of, err);
    if (!st && input != data->inputs[0]) st = stk_dataset_with_inputs(out, data, &input, err);
    if (!st && !*out) *out = stk_dataset_ref(data);
    stk_dataset_unref(input);
    return st;
}

const stk_pass_info stk_pass_cache = {.pass = STK_PASS_CACHE, .name = "cache", .rewrite = rewrite};
