/* take: the first elements. */
#include "pipeline/operators/take.h"

#include "pipeline/runtime/run_node.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct state {
    uint64_t taken; /* elements; errors do not count */
} state;

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const int64_t count = ((const stk_take_params *)data->params)->count;
    const int64_t inputs = data->inputs[0]->cardinality;
    if (count < 0 || inputs == STK_CARDINALITY_UNKNOWN) return inputs;
    return inputs == STK_CARDINALITY_INFINITE || inputs > count ? count : inputs;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const int64_t count = ((const stk_take_params *)data->params)->count;
    return count < 0 ? stk_describe(out, err, "all") : stk_describe(out, err, "%" PRId64, count);
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    const int64_t count = ((const stk_take_params *)data->params)->count;
    if (count >= 0 && index >= (uint64_t)count)
        return stk_fail(err, STK_E_RANGE, "take", NULL,
                        "element %" PRIu64 " was asked for; at most %" PRId64 " are taken", index,
                        count);
    return stk_dataset_read(data->inputs[0], index, ledger, out, err);
}

static uint64_t count_of(const stk_node *node)
{
    const int64_t count = STK_PARAMS(stk_take_params, node)->count;
    return count < 0 ? UINT64_MAX : (uint64_t)count;
}

/* The input is closed as soon as nothing more is needed. */
static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    if (s->taken == count_of(node)) {
        stk_node_close_input(node, 0);
        return STK_OK;
    }
    STK_TRY(stk_node_pull(node, out, err));
    s->taken += *out != NULL;
    return STK_OK;
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, STK_STATE(state, node)->taken, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    STK_TRY(stk_state_get_count(in, count_of(node), &STK_STATE(state, node)->taken, err));
    return stk_node_restore_input(node, in, err);
}

/* Errors of the input do not count as taken: where there are none the input can help. */
static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    state *s = STK_STATE(state, node);
    if (!node->plan->jumps) return stk_node_discard_each(node, count, discarded, err);
    const uint64_t left = count_of(node) - s->taken;
    STK_TRY(stk_node_discard(node->inputs[0], count < left ? count : left, discarded, err));
    s->taken += *discarded;
    if (*discarded < count) stk_node_close_input(node, 0);
    return STK_OK;
}

const stk_operator stk_operator_take = {
    .name = "take",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(stk_take_params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .at = at,
    .state_bytes = sizeof(state),
    .next = next,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_take(stk_dataset **data, int64_t count, stk_error *err)
{
    const stk_take_params p = {.count = count};
    return stk_dataset_append(data, &stk_operator_take, &p, err);
}
