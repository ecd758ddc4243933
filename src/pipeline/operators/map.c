/* map: one call per element, in the consumer's thread. The lowering pass turns maps that may run in
 * parallel into fused maps. */
#include "pipeline/operators/map.h"

#include "pipeline/functions/image_function.h"
#include "pipeline/runtime/function_state.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline/support/invoke.h"

#include <inttypes.h>

typedef struct state {
    uint64_t index; /* of the next input */
} state;

static void release_params(void *params)
{
    stk_function_unref(((stk_map_params *)params)->function);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_map_params    *p = data->params;
    const stk_function_info *info = stk_function_info_of(p->function);
    if (!info->map)
        return stk_fail(err, STK_E_INVALID, "map", info->name,
                        "the function is no map function; give one that has a map callback");
    if (p->parallel < STK_AUTO)
        return stk_fail(err, STK_E_INVALID, "map", info->name,
                        "parallel is %" PRId64 "; give 1 or more, or -1 for as many as help",
                        p->parallel);
    if ((unsigned)p->order > STK_ORDER_RELAXED)
        return stk_fail(err, STK_E_INVALID, "map", info->name,
                        "the order is %u; it is 0 (default), 1 (exact) or 2 (relaxed)",
                        (unsigned)p->order);
    return stk_dataset_set_output(data, p->function, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_map_params *p = data->params;
    STK_TRY(stk_describe_function(out, p->function, err));
    if (p->parallel != STK_AUTO)
        STK_TRY(stk_describe(out, err, ", parallel %" PRId64, p->parallel));
    return p->order
               ? stk_describe(out, err, p->order == STK_ORDER_EXACT ? ", in order" : ", relaxed")
               : STK_OK;
}

static unsigned traits_of(const stk_dataset *data)
{
    const unsigned traits =
        stk_function_info_of(((const stk_map_params *)data->params)->function)->traits;
    return (traits & (STK_FUNCTION_RANDOM | STK_FUNCTION_STATEFUL) ? STK_OPERATOR_RANDOM : 0) |
           (traits & STK_FUNCTION_BLOCKING ? STK_OPERATOR_BLOCKING : 0) |
           stk_order_traits(((const stk_map_params *)data->params)->order);
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    const stk_map_params *p = data->params;
    const stk_call        call = {.ledger = ledger, .seed = data->salt, .index = index};
    STK_TRY(stk_dataset_read(data->inputs[0], index, ledger, out, err));
    return stk_call_map(p->function, &call, out, err);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    STK_TRY(stk_node_pull(node, out, err));
    if (!*out) return STK_OK;
    const stk_call call = stk_node_call(node, STK_STATE(state, node)->index++);
    return stk_call_map(STK_PARAMS(stk_map_params, node)->function, &call, out, err);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, STK_STATE(state, node)->index, err));
    STK_TRY(stk_function_save(STK_PARAMS(stk_map_params, node)->function, out, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    STK_TRY(stk_state_get_u64(in, &STK_STATE(state, node)->index, err));
    STK_TRY(stk_function_restore(STK_PARAMS(stk_map_params, node)->function, in, err));
    return stk_node_restore_input(node, in, err);
}

/* A pure function need not be called for what is not wanted. */
static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    const stk_function *function = STK_PARAMS(stk_map_params, node)->function;
    if (stk_function_info_of(function)->traits & STK_FUNCTION_STATEFUL)
        return stk_node_discard_each(node, count, discarded, err);
    STK_TRY(stk_node_discard(node->inputs[0], count, discarded, err));
    STK_STATE(state, node)->index += *discarded;
    return STK_OK;
}

const stk_operator stk_operator_map = {
    .name = "map",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(stk_map_params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .at = at,
    .state_bytes = sizeof(state),
    .next = next,
    .save = save,
    .restore = restore,
    .discard = discard,
};

/* *data, a map, with function's say about how its results are written. */
static stk_status finish(stk_dataset **data, stk_function *function, stk_error *err)
{
    stk_map_params p = *(const stk_map_params *)(*data)->params;
    stk_dataset   *made;
    STK_TRY(stk_image_function_finished(&p.function, p.function, function, err));
    STK_TRY(stk_dataset_make(&made, &stk_operator_map, &p, (*data)->inputs, 1, err));
    stk_dataset_unref(*data);
    *data = made;
    return STK_OK;
}

static bool is_finishable(const stk_dataset *data, const stk_map_params *p)
{
    const stk_map_params *below = data->params;
    return data->op == &stk_operator_map && below->parallel == p->parallel &&
           below->order == p->order && stk_image_function_finishes(below->function, p->function);
}

stk_status stk_dataset_map(stk_dataset **data, stk_function *function,
                           const stk_map_options *options, stk_error *err)
{
    stk_map_params p = {.function = stk_function_ref(function), .parallel = STK_AUTO};
    if (options) {
        p.parallel = options->parallel ? options->parallel : STK_AUTO;
        p.order = options->order;
    }
    if (is_finishable(*data, &p)) {
        stk_function_unref(p.function);
        return finish(data, function, err);
    }
    return stk_dataset_append(data, &stk_operator_map, &p, err);
}
