/* prefetch: makes the pipeline run ahead of its consumer even if its last operator does not; avoids
 * two tuned queues in a row. */
#include "pipeline/operators/prefetch.h"

#include "pipeline/passes/pass.h"

#include <stoker/dataset_operators.h>

static bool is_prefetch(const stk_dataset *data, int64_t count)
{
    return data->op == &stk_operator_prefetch &&
           ((const stk_prefetch_params *)data->params)->count == count;
}

static bool runs_ahead(const stk_dataset *data)
{
    return data->traits & STK_OPERATOR_RUNS_AHEAD && !is_prefetch(data, 0);
}

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    const stk_prefetch_params p = {.count = STK_AUTO};
    if (is_prefetch(data, STK_AUTO) && runs_ahead(data->inputs[0]))
        *out = stk_dataset_ref(data->inputs[0]);
    else if (root && !(data->traits & STK_OPERATOR_RUNS_AHEAD))
        return stk_dataset_make(out, &stk_operator_prefetch, &p, &data, 1, err);
    else
        *out = stk_dataset_ref(data);
    return STK_OK;
}

const stk_pass_info stk_pass_prefetch = {
    .pass = STK_PASS_PREFETCH, .name = "prefetch", .rewrite = rewrite};
