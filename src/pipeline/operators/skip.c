/* skip: all but the first elements. */
#include "pipeline/operators/skip.h"

#include "pipeline/runtime/run_node.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct state {
    bool past; /* the first elements were skipped */
} state;

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const int64_t count = ((const stk_skip_params *)data->params)->count;
    const int64_t inputs = data->inputs[0]->cardinality;
    if (inputs < 0) return inputs;
    return count < 0 || count > inputs ? 0 : inputs - count;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const int64_t count = ((const stk_skip_params *)data->params)->count;
    return count < 0 ? stk_describe(out, err, "all") : stk_describe(out, err, "%" PRId64, count);
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    const int64_t count = ((const stk_skip_params *)data->params)->count;
    if (count < 0 || index > UINT64_MAX - (uint64_t)count)
        return stk_fail(err, STK_E_RANGE, "skip", NULL,
                        "element %" PRIu64 " was asked for; skip(%" PRId64 ") leaves none there",
                        index, count);
    return stk_dataset_read(data->inputs[0], index + (uint64_t)count, ledger, out, err);
}

/* An error among the skipped elements is returned, and skipping restarts after it, as in
 * TensorFlow. So the only state is whether it is done. */
static stk_status pass_over(stk_node *node, bool *ended, stk_error *err)
{
    const uint64_t count = (uint64_t)STK_PARAMS(stk_skip_params, node)->count;
    uint64_t       passed;
    STK_TRY(stk_node_check(node, err));
    STK_TRY(stk_node_skip(node->inputs[0], count, &passed, err));
    *ended = passed < count;
    STK_STATE(state, node)->past = true;
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    if (STK_PARAMS(stk_skip_params, node)->count < 0) return STK_OK;
    bool ended = false;
    if (!STK_STATE(state, node)->past) STK_TRY(pass_over(node, &ended, err));
    return ended ? STK_OK : stk_node_pull(node, out, err);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, STK_STATE(state, node)->past, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    STK_TRY(stk_state_get_bool(in, &STK_STATE(state, node)->past, err));
    return stk_node_restore_input(node, in, err);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    bool ended = false;
    if (STK_PARAMS(stk_skip_params, node)->count < 0) return STK_OK;
    if (!STK_STATE(state, node)->past) {
        if (!node->plan->jumps) return stk_node_discard_each(node, count, discarded, err);
        STK_TRY(pass_over(node, &ended, err));
    }
    return ended ? STK_OK : stk_node_discard(node->inputs[0], count, discarded, err);
}

const stk_operator stk_operator_skip = {
    .name = "skip",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(stk_skip_params),
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

stk_status stk_dataset_skip(stk_dataset **data, int64_t count, stk_error *err)
{
    const stk_skip_params p = {.count = count};
    return stk_dataset_append(data, &stk_operator_skip, &p, err);
}
