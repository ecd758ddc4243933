/* ignore_errors: skips elements that are errors. */
#include "pipeline/operators/operators.h"
#include "pipeline/operators/quarantine.h"
#include "pipeline/runtime/run_node.h"

#include <stoker/dataset_operators.h>

typedef struct params {
    bool log_warning;
} params;

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    return ((const params *)data->params)->log_warning ? stk_describe(out, err, "log") : STK_OK;
}

static void warn(stk_node *node, const stk_error *bad)
{
    char line[900];
    stk_run_log(node->run, "warning: passed over: %s", stk_error_line(bad, line, sizeof line));
}

/* Errors may never end (a lost disk): polls for cancellation. */
static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    for (;;) {
        stk_error  bad;
        stk_status st = stk_node_pull(node, out, &bad);
        if (!st) return STK_OK;
        if (stk_ends_run(st, &bad) || stk_status_is_environment(st)) {
            if (err) *err = bad;
            return st;
        }
        if (STK_PARAMS(params, node)->log_warning) warn(node, &bad);
        STK_TRY(stk_node_check(node, err));
    }
}

const stk_operator stk_operator_ignore_errors = {
    .name = "ignore_errors",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .check = check,
    .describe = describe,
    .next = next,
    .save = stk_node_save_input,
    .restore = stk_node_restore_input,
};

stk_status stk_dataset_ignore_errors(stk_dataset **data, bool log_warning, stk_error *err)
{
    const params p = {.log_warning = log_warning};
    return stk_dataset_append(data, &stk_operator_ignore_errors, &p, err);
}
