/* scan: a function with a state, called in order. */
#include "pipeline/operators/operators.h"
#include "pipeline/plan/element_hash.h"
#include "pipeline/runtime/function_state.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline/support/invoke.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    stk_function *function;
    stk_element  *initial;
} params;

typedef struct state {
    stk_element *now;   /* latest state of the function */
    uint64_t     index; /* of the next input */
} state;

static void release_params(void *untyped)
{
    params *p = untyped;
    stk_function_unref(p->function);
    stk_element_unref(p->initial);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params            *p = data->params;
    const stk_function_info *info = stk_function_info_of(p->function);
    if (!info->scan)
        return stk_fail(err, STK_E_INVALID, "scan", info->name,
                        "the function is no scan function; give one that has a scan callback");
    if (!p->initial)
        return stk_fail(err, STK_E_INVALID, "scan", info->name,
                        "there is no first state; give an element");
    STK_TRY(stk_dataset_set_output(data, p->function, &data->inputs[0]->spec, err));
    stk_status st =
        stk_function_accepts_state(p->function, p->initial, &data->inputs[0]->spec, err);
    return st && err && !err->where[0]
               ? stk_fail(err, st, err->component, "scan", "%s", err->message)
               : st;
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(stk_describe_function(out, p->function, err));
    return stk_describe(out, err, ", from %016" PRIx64, stk_element_hash(0, p->initial));
}

static unsigned traits_of(const stk_dataset *data)
{
    const unsigned traits = stk_function_info_of(((const params *)data->params)->function)->traits;
    return (traits & (STK_FUNCTION_RANDOM | STK_FUNCTION_STATEFUL) ? STK_OPERATOR_RANDOM : 0) |
           (traits & STK_FUNCTION_BLOCKING ? STK_OPERATOR_BLOCKING : 0);
}

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    STK_STATE(state, node)->now = stk_element_ref(STK_PARAMS(params, node)->initial);
    return STK_OK;
}

/* The function works on a second reference, so that a failed call leaves the state as it was. */
static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = STK_STATE(state, node);
    STK_TRY(stk_node_pull(node, out, err));
    if (!*out) return STK_OK;
    const stk_call call = stk_node_call(node, s->index++);
    stk_element   *after = stk_element_ref(s->now);
    stk_status     st = stk_call_scan(p->function, &call, p->initial, &after, out, err);
    if (!st && !*out)
        st = stk_fail(err, STK_E_INVALID, "scan", stk_function_info_of(p->function)->name,
                      "the function left no element; a scan cannot end the data: use take_while");
    stk_element_unref(st ? after : s->now);
    if (!st) s->now = after;
    return st;
}

static void close(stk_node *node)
{
    stk_element_unref(STK_STATE(state, node)->now);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const state *s = STK_STATE(state, node);
    STK_TRY(stk_state_put_u64(out, s->index, err));
    STK_TRY(stk_state_put_element(out, s->now, err));
    STK_TRY(stk_function_save(STK_PARAMS(params, node)->function, out, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = STK_STATE(state, node);
    stk_element  *saved;
    STK_TRY(stk_state_get_u64(in, &s->index, err));
    STK_TRY(stk_state_get_element(in, &saved, err));
    if (!stk_call_same_types(p->initial, saved)) {
        stk_element_unref(saved);
        return stk_state_damaged(in, "the state has other values than the first", err);
    }
    stk_element_unref(s->now);
    s->now = saved;
    STK_TRY(stk_function_restore(p->function, in, err));
    return stk_node_restore_input(node, in, err);
}

const stk_operator stk_operator_scan = {
    .name = "scan",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
};

stk_status stk_dataset_scan(stk_dataset **data, stk_element *initial, stk_function *function,
                            stk_error *err)
{
    const params p = {.function = stk_function_ref(function),
                      .initial = initial ? stk_element_ref(initial) : NULL};
    return stk_dataset_append(data, &stk_operator_scan, &p, err);
}
