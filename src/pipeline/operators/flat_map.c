/* flat_map: concatenates a dataset per element. */
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/function_state.h"
#include "pipeline/support/nested.h"

#include <stoker/dataset_operators.h>

typedef struct params {
    stk_function *function; /* one reference */
} params;

typedef struct state {
    stk_nested inner;
    uint64_t   index; /* of the next input */
} state;

static void release_params(void *untyped)
{
    stk_function_unref(((params *)untyped)->function);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_expand_check(data, ((const params *)data->params)->function, &data->inputs[0]->spec,
                            err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality == STK_CARDINALITY_INFINITE ? STK_CARDINALITY_INFINITE
                                                                    : STK_CARDINALITY_UNKNOWN;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    return stk_describe_function(out, ((const params *)data->params)->function, err);
}

static unsigned traits_of(const stk_dataset *data)
{
    return stk_expand_traits(((const params *)data->params)->function);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    for (;;) {
        STK_TRY(stk_node_check(node, err));
        if (s->inner.node) {
            stk_status st = stk_nested_next(&s->inner, out, err);
            if (st || *out) return st;
            stk_nested_close(&s->inner);
        }
        stk_element *element;
        STK_TRY(stk_node_pull(node, &element, err));
        if (!element) return STK_OK;
        STK_TRY(stk_nested_open(&s->inner, node, STK_PARAMS(params, node)->function, element,
                                s->index++, 0, err));
    }
}

/* Nested datasets skip their own elements; an input or a call that fails is a result. */
static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    state *s = STK_STATE(state, node);
    while (*discarded < count) {
        STK_TRY(stk_node_check(node, err));
        if (s->inner.node) {
            uint64_t some;
            STK_TRY(stk_node_discard(s->inner.node, count - *discarded, &some, err));
            *discarded += some;
            if (*discarded < count) stk_nested_close(&s->inner);
            continue;
        }
        stk_element *element;
        stk_status   st = stk_node_pull(node, &element, err);
        if (!st && !element) return STK_OK;
        if (!st)
            st = stk_nested_open(&s->inner, node, STK_PARAMS(params, node)->function, element,
                                 s->index++, 0, err);
        if (stk_status_is_environment(st)) return st;
        if (!st) continue;
        stk_run_pass_error(node->run, err);
        ++*discarded;
    }
    return STK_OK;
}

static void close(stk_node *node)
{
    stk_nested_close(&STK_STATE(state, node)->inner);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const state *s = STK_STATE(state, node);
    STK_TRY(stk_state_put_u64(out, s->index, err));
    STK_TRY(stk_state_put_u64(out, s->inner.node != NULL, err));
    if (s->inner.node) STK_TRY(stk_nested_save(&s->inner, out, err));
    STK_TRY(stk_function_save(STK_PARAMS(params, node)->function, out, err));
    return stk_node_save_input(node, out, err);
}

/* The function's own state comes last: opening the inner dataset calls the function again. */
static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    state              *s = STK_STATE(state, node);
    const stk_function *function = STK_PARAMS(params, node)->function;
    bool                open;
    STK_TRY(stk_state_get_u64(in, &s->index, err));
    STK_TRY(stk_state_get_bool(in, &open, err));
    if (open)
        STK_TRY(stk_nested_restore(&s->inner, node, function, &node->plan->inputs[0]->spec, 0, in,
                                   err));
    STK_TRY(stk_function_restore(function, in, err));
    return stk_node_restore_input(node, in, err);
}

const stk_operator stk_operator_flat_map = {
    .name = "flat_map",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .state_bytes = sizeof(state),
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_flat_map(stk_dataset **data, stk_function *function, stk_error *err)
{
    const params p = {.function = stk_function_ref(function)};
    return stk_dataset_append(data, &stk_operator_flat_map, &p, err);
}
