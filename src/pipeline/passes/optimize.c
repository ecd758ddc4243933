/* The list of passes, and the walk of a plan. */
#include "pipeline/passes/pass.h"

#include <stdlib.h>

/* Removed operators come first, as they would block other rewrites. The cache is inserted while
 * pure and random maps are separate. Fusion goes from small to large; what runs ahead is known
 * last. */
static const stk_pass_info *const passes_in_order[] = {
    &stk_pass_noop,       &stk_pass_lower,          &stk_pass_cache,       &stk_pass_shuffle_repeat,
    &stk_pass_map_fusion, &stk_pass_filter_fusion,  &stk_pass_map_filter,  &stk_pass_image,
    &stk_pass_map_batch,  &stk_pass_parallel_batch, &stk_pass_io_prefetch, &stk_pass_prefetch,
};

enum { PASSES = sizeof passes_in_order / sizeof passes_in_order[0] };

const char *stk_pass_name(stk_pass pass)
{
    for (size_t i = 0; i < PASSES; i++)
        if (passes_in_order[i]->pass == pass && pass) return passes_in_order[i]->name;
    return NULL;
}

static stk_status rewrite_all(const stk_pass_info *pass, stk_dataset *data, bool root,
                              stk_dataset **out, stk_error *err);

/* data with rewritten inputs; a new reference to data itself when none changed. */
static stk_status rewrite_inputs(const stk_pass_info *pass, stk_dataset *data, stk_dataset **out,
                                 stk_error *err)
{
    stk_dataset **inputs = calloc(data->input_count ? data->input_count : 1, sizeof *inputs);
    if (!inputs) return stk_fail(err, STK_E_NOMEM, "optimise", NULL, "no memory for a plan");
    stk_status st = STK_OK;
    bool       changed = false;
    for (size_t i = 0; i < data->input_count && !st; i++) {
        st = rewrite_all(pass, data->inputs[i], false, &inputs[i], err);
        changed = changed || inputs[i] != data->inputs[i];
    }
    if (!st && changed) st = stk_dataset_with_inputs(out, data, inputs, err);
    if (!st && !changed) *out = stk_dataset_ref(data);
    for (size_t i = 0; i < data->input_count; i++)
        stk_dataset_unref(inputs[i]);
    free(inputs);
    return st;
}

static stk_status rewrite_all(const stk_pass_info *pass, stk_dataset *data, bool root,
                              stk_dataset **out, stk_error *err)
{
    *out = NULL;
    stk_dataset *with_inputs = NULL;
    STK_TRY(rewrite_inputs(pass, data, &with_inputs, err));
    stk_status st = pass->rewrite(with_inputs, root, out, err);
    stk_dataset_unref(with_inputs);
    return st;
}

stk_status stk_optimize(stk_dataset **out, stk_dataset *data, unsigned passes, stk_pass_visit visit,
                        void *context, stk_error *err)
{
    *out = NULL;
    stk_dataset *now = stk_dataset_ref(data);
    for (size_t i = 0; i < PASSES; i++) {
        const stk_pass_info *pass = passes_in_order[i];
        if (pass->pass && !(passes & (unsigned)pass->pass)) continue;
        stk_dataset *after;
        stk_status   st = rewrite_all(pass, now, true, &after, err);
        if (!st && visit && after != now) st = visit(context, pass->name, after, err);
        stk_dataset_unref(now);
        now = after;
        if (st) {
            stk_dataset_unref(now);
            return st;
        }
    }
    *out = now;
    return STK_OK;
}
