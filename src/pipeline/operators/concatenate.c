/* concatenate: one input after the other. */
#include "base/checked.h"
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline/support/pick.h"

#include <stoker/dataset_operators.h>

typedef struct state {
    uint64_t now; /* the input that is being read */
} state;

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_pick_check(data, data->input_count, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    int64_t sum = 0;
    bool    known = true;
    for (size_t i = 0; i < data->input_count; i++) {
        const int64_t count = data->inputs[i]->cardinality;
        if (count == STK_CARDINALITY_INFINITE) return STK_CARDINALITY_INFINITE;
        known = known && count >= 0;
        if (known && stk_add_overflows_i64(sum, count, &sum)) return STK_CARDINALITY_INFINITE;
    }
    return known ? sum : STK_CARDINALITY_UNKNOWN;
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    size_t i = 0;
    for (; i + 1 < data->input_count; i++) {
        const int64_t count = data->inputs[i]->cardinality;
        if (count == STK_CARDINALITY_UNKNOWN)
            return stk_fail(err, STK_E_UNSUPPORTED, "concatenate", NULL,
                            "elements cannot be had by number: how many input %zu (%s) has is not "
                            "known; iterate instead",
                            i, data->inputs[i]->op->name);
        if (count < 0 || index < (uint64_t)count) break;
        index -= (uint64_t)count;
    }
    return stk_dataset_read(data->inputs[i], index, ledger, out, err);
}

/* Each is another pass, so that data put after itself is shuffled anew. */
static stk_status open_now(stk_node *node, stk_error *err)
{
    const uint64_t now = STK_STATE(state, node)->now;
    return stk_node_open_epoch(node, (size_t)now, node->epoch, now, err);
}

/* An input that cannot be opened is tried again by the next call. */
static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    while (s->now < node->plan->input_count) {
        if (!node->inputs[s->now]) STK_TRY(open_now(node, err));
        STK_TRY(stk_node_next(node->inputs[s->now], out, err));
        if (*out) return STK_OK;
        stk_node_close_input(node, (size_t)s->now++);
    }
    return STK_OK;
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const uint64_t now = STK_STATE(state, node)->now;
    const bool     open = now < node->plan->input_count && node->inputs[now];
    STK_TRY(stk_state_put_u64(out, now, err));
    STK_TRY(stk_state_put_u64(out, open, err));
    return open ? stk_node_save(node->inputs[now], out, err) : STK_OK;
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    state         *s = STK_STATE(state, node);
    const uint64_t count = node->plan->input_count;
    bool           open;
    STK_TRY(stk_state_get_count(in, count, &s->now, err));
    STK_TRY(stk_state_get_bool(in, &open, err));
    if (s->now) stk_node_close_input(node, 0);
    if (!open) return STK_OK;
    if (s->now == count) return stk_state_damaged(in, "an input that there is not", err);
    if (s->now) STK_TRY(open_now(node, err));
    return stk_node_restore(node->inputs[s->now], in, err);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    state *s = STK_STATE(state, node);
    for (*discarded = 0; s->now < node->plan->input_count; s->now++) {
        uint64_t more;
        if (!node->inputs[s->now]) STK_TRY(open_now(node, err));
        STK_TRY(stk_node_discard(node->inputs[s->now], count - *discarded, &more, err));
        *discarded += more;
        if (*discarded == count) return STK_OK;
        stk_node_close_input(node, (size_t)s->now);
    }
    return STK_OK;
}

const stk_operator stk_operator_concatenate = {
    .name = "concatenate",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_LAZY_INPUTS | STK_OPERATOR_JUMPS,
    .check = check,
    .cardinality = cardinality,
    .at = at,
    .state_bytes = sizeof(state),
    .open = open_now,
    .next = next,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_concatenate(stk_dataset **out, stk_dataset *const *inputs, size_t count,
                                   stk_error *err)
{
    return stk_dataset_make(out, &stk_operator_concatenate, NULL, inputs, count, err);
}
