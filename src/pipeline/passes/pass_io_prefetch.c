/* io_prefetch: a blocking source runs ahead on the I/O engine, so that no computing thread waits
 * for it. A prefetch over it does that already. */
#include "pipeline/operators/prefetch.h"
#include "pipeline/passes/pass.h"

#include <stdlib.h>
#include <stoker/dataset_operators.h>

static bool is_waiting_source(const stk_dataset *data)
{
    return !data->input_count && data->traits & STK_OPERATOR_BLOCKING &&
           !(data->traits & STK_OPERATOR_RUNS_AHEAD);
}

static bool has_waiting_source(const stk_dataset *data)
{
    for (size_t i = 0; i < data->input_count; i++)
        if (is_waiting_source(data->inputs[i])) return true;
    return false;
}

/* A prefetch of nothing is a wish. What asks by number never runs its input. */
static bool needs_none(const stk_dataset *data)
{
    return data->op == &stk_operator_prefetch || data->op == &stk_operator_global_shuffle ||
           data->op == &stk_operator_balance;
}

static stk_status put_on_engine(stk_dataset *data, stk_dataset **inputs, stk_error *err)
{
    const stk_prefetch_params p = {.count = STK_AUTO};
    for (size_t i = 0; i < data->input_count; i++) {
        inputs[i] = stk_dataset_ref(data->inputs[i]);
        if (is_waiting_source(inputs[i]))
            STK_TRY(stk_dataset_append(&inputs[i], &stk_operator_prefetch, &p, err));
    }
    return STK_OK;
}

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)root;
    *out = NULL;
    if (needs_none(data) || !has_waiting_source(data)) {
        *out = stk_dataset_ref(data);
        return STK_OK;
    }
    stk_dataset **inputs = calloc(data->input_count, sizeof *inputs);
    if (!inputs) return stk_fail(err, STK_E_NOMEM, "optimise", NULL, "no memory for a plan");
    stk_status st = put_on_engine(data, inputs, err);
    if (!st) st = stk_dataset_with_inputs(out, data, inputs, err);
    for (size_t i = 0; i < data->input_count; i++)
        stk_dataset_unref(inputs[i]);
    free(inputs);
    return st;
}

const stk_pass_info stk_pass_io_prefetch = {
    .pass = STK_PASS_IO_PREFETCH, .name = "io_prefetch", .rewrite = rewrite};
