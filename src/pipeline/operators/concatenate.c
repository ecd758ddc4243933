/* concatenate: one input, then another. */
#include "base/checked.h"
#include "pipeline/element/spec.h"
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/run_node.h"

#include <stoker/dataset_operators.h>

enum { INPUTS = 2 };

typedef struct state {
    uint64_t now; /* the input that is being read */
} state;

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_spec_relax(&data->spec, &data->inputs[0]->spec, &data->inputs[1]->spec,
                          "concatenate", &data->arena, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const int64_t first = data->inputs[0]->cardinality, second = data->inputs[1]->cardinality;
    int64_t       sum;
    if (first == STK_CARDINALITY_INFINITE || second == STK_CARDINALITY_INFINITE)
        return STK_CARDINALITY_INFINITE;
    if (first < 0 || second < 0) return STK_CARDINALITY_UNKNOWN;
    return stk_add_overflows_i64(first, second, &sum) ? STK_CARDINALITY_INFINITE : sum;
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    const int64_t first = data->inputs[0]->cardinality;
    if (first == STK_CARDINALITY_UNKNOWN)
        return stk_fail(err, STK_E_UNSUPPORTED, "concatenate", NULL,
                        "elements cannot be had by number: how many the first input (%s) has is "
                        "not known; iterate instead",
                        data->inputs[0]->op->name);
    return first < 0 || index < (uint64_t)first
               ? stk_dataset_read(data->inputs[0], index, ledger, out, err)
               : stk_dataset_read(data->inputs[1], index - (uint64_t)first, ledger, out, err);
}

/* The second is another pass, so that data put after itself is shuffled anew. */
static stk_status open_now(stk_node *node, stk_error *err)
{
    const uint64_t now = STK_STATE(state, node)->now;
    return stk_node_open_epoch(node, (size_t)now, node->epoch, now, err);
}

/* An input that cannot be opened is tried again by the next call. */
static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    while (s->now < INPUTS) {
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
    const bool     open = now < INPUTS && node->inputs[now];
    STK_TRY(stk_state_put_u64(out, now, err));
    STK_TRY(stk_state_put_u64(out, open, err));
    return open ? stk_node_save(node->inputs[now], out, err) : STK_OK;
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    state *s = STK_STATE(state, node);
    bool   open;
    STK_TRY(stk_state_get_count(in, INPUTS, &s->now, err));
    STK_TRY(stk_state_get_bool(in, &open, err));
    if (s->now) stk_node_close_input(node, 0);
    if (!open) return STK_OK;
    if (s->now == INPUTS) return stk_state_damaged(in, "an input that there is not", err);
    if (s->now) STK_TRY(open_now(node, err));
    return stk_node_restore(node->inputs[s->now], in, err);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    state *s = STK_STATE(state, node);
    for (*discarded = 0; s->now < INPUTS; s->now++) {
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
    .traits = STK_OP_LAZY_INPUTS | STK_OP_JUMPS,
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

stk_status stk_dataset_concatenate(stk_dataset **data, stk_dataset *second, stk_error *err)
{
    stk_dataset *const inputs[INPUTS] = {*data, second};
    stk_dataset       *made;
    STK_TRY(stk_dataset_make(&made, &stk_operator_concatenate, NULL, inputs, INPUTS, err));
    stk_dataset_unref(*data);
    *data = made;
    return STK_OK;
}
