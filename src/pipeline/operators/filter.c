/* filter: keeps the elements that satisfy a predicate. */
#include "pipeline/operators/map.h"
#include "pipeline/runtime/function_state.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline/support/invoke.h"

typedef struct state {
    uint64_t index; /* of the next input */
} state;

static void release_params(void *params)
{
    stk_function_unref(((stk_filter_params *)params)->function);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_function      *function = ((const stk_filter_params *)data->params)->function;
    const stk_function_info *info = stk_function_info_of(function);
    if (!info->test)
        return stk_fail(err, STK_E_INVALID, "filter", info->name,
                        "the function is no test; give one that has a test callback");
    STK_TRY(stk_dataset_accepts(data, function, &data->inputs[0]->spec, err));
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    (void)data;
    return STK_CARDINALITY_UNKNOWN;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    return stk_describe_function(out, ((const stk_filter_params *)data->params)->function, err);
}

static unsigned traits_of(const stk_dataset *data)
{
    const unsigned traits =
        stk_function_info_of(((const stk_filter_params *)data->params)->function)->traits;
    return (traits & (STK_FUNCTION_RANDOM | STK_FUNCTION_STATEFUL) ? STK_OPERATOR_RANDOM : 0) |
           (traits & STK_FUNCTION_BLOCKING ? STK_OPERATOR_BLOCKING : 0);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    for (;;) {
        STK_TRY(stk_node_check(node, err));
        STK_TRY(stk_node_pull(node, out, err));
        if (!*out) return STK_OK;
        bool           keep;
        const stk_call call = stk_node_call(node, STK_STATE(state, node)->index++);
        stk_status     st = stk_call_predicate(STK_PARAMS(stk_filter_params, node)->function, &call,
                                               *out, &keep, err);
        if (!st && keep) return STK_OK;
        stk_element_unref(*out);
        *out = NULL;
        if (st) return st;
    }
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, STK_STATE(state, node)->index, err));
    STK_TRY(stk_function_save(STK_PARAMS(stk_filter_params, node)->function, out, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    STK_TRY(stk_state_get_u64(in, &STK_STATE(state, node)->index, err));
    STK_TRY(stk_function_restore(STK_PARAMS(stk_filter_params, node)->function, in, err));
    return stk_node_restore_input(node, in, err);
}

const stk_operator stk_operator_filter = {
    .name = "filter",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(stk_filter_params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .state_bytes = sizeof(state),
    .next = next,
    .save = save,
    .restore = restore,
};

stk_status stk_dataset_filter(stk_dataset **data, stk_function *function, stk_error *err)
{
    const stk_filter_params p = {.function = stk_function_ref(function)};
    return stk_dataset_append(data, &stk_operator_filter, &p, err);
}
