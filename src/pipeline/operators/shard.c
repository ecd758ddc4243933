/* shard: every n-th element, so that several processes share the data. */
#include "pipeline/operators/shard.h"

#include "base/checked.h"
#include "pipeline/runtime/run_node.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct state {
    uint64_t turn; /* whose element comes next, below shards */
} state;

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_shard_params *p = data->params;
    if (p->shards < 1)
        return stk_fail(err, STK_E_INVALID, "shard", NULL,
                        "the number of shards is %" PRId64 "; it must be at least 1", p->shards);
    if (p->index < 0 || p->index >= p->shards)
        return stk_fail(err, STK_E_INVALID, "shard", NULL,
                        "the index is %" PRId64 "; with %" PRId64 " shards it is 0 to %" PRId64,
                        p->index, p->shards, p->shards - 1);
    if (p->others && p->shards < 2)
        return stk_fail(err, STK_E_INVALID, "shard", NULL, "with one shard there are no others");
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const stk_shard_params *p = data->params;
    const int64_t           inputs = data->inputs[0]->cardinality;
    if (inputs < 0) return inputs;
    const int64_t mine = inputs / p->shards + (p->index < inputs % p->shards);
    return p->others ? inputs - mine : mine;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_shard_params *p = data->params;
    return stk_describe(out, err, "%s%" PRId64 " of %" PRId64, p->others ? "all but " : "",
                        p->index, p->shards);
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    const stk_shard_params *p = data->params;
    const uint64_t          turns = p->others ? (uint64_t)p->shards - 1 : 1;
    uint64_t                turn = p->others ? index % turns : (uint64_t)p->index;
    size_t                  first, offset;
    if (p->others && turn >= (uint64_t)p->index) turn++;
    if (stk_mul_overflows(index / turns, (size_t)p->shards, &first) ||
        stk_add_overflows(first, turn, &offset))
        return stk_fail(err, STK_E_RANGE, "shard", NULL,
                        "element %" PRIu64 " was asked for; no data has so many", index);
    return stk_dataset_read(data->inputs[0], offset, ledger, out, err);
}

/* An error has a turn like any element. (TensorFlow forgets elements skipped before an error, so
 * two shards may then have the same element and others none.) Errors in other shards' turns are
 * returned too: none is hidden. */
static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const stk_shard_params *p = node->plan->params;
    state                  *s = STK_STATE(state, node);
    for (;;) {
        STK_TRY(stk_node_check(node, err));
        const bool mine = (s->turn == (uint64_t)p->index) != (p->others != 0);
        stk_status st = stk_node_pull(node, out, err);
        if (!st && !*out) return STK_OK;
        s->turn = s->turn + 1 == (uint64_t)p->shards ? 0 : s->turn + 1;
        if (st || mine) return st;
        stk_element_unref(*out);
        *out = NULL;
    }
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, STK_STATE(state, node)->turn, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    const uint64_t last = (uint64_t)STK_PARAMS(stk_shard_params, node)->shards - 1;
    STK_TRY(stk_state_get_count(in, last, &STK_STATE(state, node)->turn, err));
    return stk_node_restore_input(node, in, err);
}

/* How many of the next inputs are of the shard's own turn. */
static uint64_t turns_among(const stk_node *node, uint64_t inputs)
{
    const stk_shard_params *p = node->plan->params;
    const uint64_t          shards = (uint64_t)p->shards, turn = STK_STATE(state, node)->turn;
    const uint64_t          before = ((uint64_t)p->index + shards - turn) % shards;
    return inputs <= before ? 0 : (inputs - before - 1) / shards + 1;
}

/* Complete rounds over all shards are skipped as one; the remainder one by one. */
static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    const stk_shard_params *p = node->plan->params;
    state                  *s = STK_STATE(state, node);
    const uint64_t          shards = (uint64_t)p->shards, own = p->others ? shards - 1 : 1;
    while (node->plan->jumps && count - *discarded >= own) {
        const uint64_t last = UINT64_MAX / shards, rounds = (count - *discarded) / own;
        const uint64_t wanted = (rounds < last ? rounds : last) * shards;
        uint64_t       passed;
        STK_TRY(stk_node_discard(node->inputs[0], wanted, &passed, err));
        const uint64_t mine = turns_among(node, passed);
        *discarded += p->others ? passed - mine : mine;
        s->turn = (s->turn + passed % shards) % shards;
        if (passed < wanted) return STK_OK;
    }
    uint64_t   rest = 0;
    stk_status st = stk_node_discard_each(node, count - *discarded, &rest, err);
    *discarded += rest;
    return st;
}

const stk_operator stk_operator_shard = {
    .name = "shard",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(stk_shard_params),
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

stk_status stk_dataset_shard(stk_dataset **data, int64_t shards, int64_t index, stk_error *err)
{
    const stk_shard_params p = {.shards = shards, .index = index};
    return stk_dataset_append(data, &stk_operator_shard, &p, err);
}

stk_status stk_dataset_shard_others(stk_dataset **data, int64_t shards, int64_t index,
                                    stk_error *err)
{
    const stk_shard_params p = {.shards = shards, .index = index, .others = 1};
    return stk_dataset_append(data, &stk_operator_shard, &p, err);
}
