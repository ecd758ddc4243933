/* repeat: repeats the input, reopened for each epoch. */
#include "pipeline/operators/repeat.h"

#include "base/checked.h"
#include "pipeline/runtime/run_node.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct state {
    uint64_t pass;
    bool     gave; /* an element in this pass */
} state;

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const int64_t times = ((const stk_repeat_params *)data->params)->count;
    const int64_t count = data->inputs[0]->cardinality;
    int64_t       product;
    if (times == 0 || count == 0) return 0;
    if (times < 0) return STK_CARDINALITY_INFINITE;
    if (count < 0) return count;
    return stk_mul_overflows_i64(times, count, &product) ? STK_CARDINALITY_INFINITE : product;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const int64_t times = ((const stk_repeat_params *)data->params)->count;
    return times < 0 ? stk_describe(out, err, "for ever")
                     : stk_describe(out, err, "%" PRId64, times);
}

/* Epochs are numbered over all epochs of this operator, so that nested repeats give every epoch of
 * their input its own number. */
static stk_status open_pass(stk_node *node, stk_error *err)
{
    const int64_t  times = STK_PARAMS(stk_repeat_params, node)->count;
    const uint64_t pass = STK_STATE(state, node)->pass;
    STK_STATE(state, node)->gave = false;
    return stk_node_open_epoch(node, 0, (times > 0 ? node->epoch * (uint64_t)times : 0) + pass,
                               pass, err);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const int64_t times = STK_PARAMS(stk_repeat_params, node)->count;
    state        *s = STK_STATE(state, node);
    while (times < 0 || s->pass < (uint64_t)times) {
        if (!node->inputs[0]) STK_TRY(open_pass(node, err));
        stk_status st = stk_node_pull(node, out, err);
        s->gave |= *out != NULL;
        if (st || *out) return st;
        stk_node_close_input(node, 0);
        s->pass++;
        /* Without end over nothing but errors would never come to an end. */
        if (times < 0 && !s->gave) return STK_OK;
    }
    return STK_OK;
}

/* An epoch that has not begun is opened: stateful functions below must be in the checkpoint, or
 * restoring would not reset them. */
static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const int64_t times = STK_PARAMS(stk_repeat_params, node)->count;
    const state  *s = STK_STATE(state, node);
    if (!node->inputs[0] && (times < 0 || s->pass < (uint64_t)times)) STK_TRY(open_pass(node, err));
    STK_TRY(stk_state_put_u64(out, s->pass, err));
    STK_TRY(stk_state_put_u64(out, s->gave, err));
    STK_TRY(stk_state_put_u64(out, node->inputs[0] != NULL, err));
    return node->inputs[0] ? stk_node_save_input(node, out, err) : STK_OK;
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    state *s = STK_STATE(state, node);
    bool   gave, open;
    STK_TRY(stk_state_get_u64(in, &s->pass, err));
    STK_TRY(stk_state_get_bool(in, &gave, err));
    STK_TRY(stk_state_get_bool(in, &open, err));
    if (!open) return STK_OK;
    STK_TRY(open_pass(node, err));
    s->gave = gave;
    return stk_node_restore_input(node, in, err);
}

/* Skips complete epochs of an input of known length; only between two epochs. */
static void discard_passes(stk_node *node, uint64_t count, uint64_t *discarded)
{
    const int64_t times = STK_PARAMS(stk_repeat_params, node)->count;
    const int64_t each = node->plan->inputs[0]->cardinality;
    state        *s = STK_STATE(state, node);
    if (node->inputs[0] || !node->plan->jumps || each <= 0 || each == INT64_MAX) return;
    uint64_t passes = count / (uint64_t)each;
    if (times >= 0 && passes > (uint64_t)times - s->pass) passes = (uint64_t)times - s->pass;
    s->pass += passes;
    *discarded += passes * (uint64_t)each;
}

/* The rest of the current epoch, and its end if that comes before count. */
static stk_status discard_rest(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    uint64_t some;
    STK_TRY(stk_node_discard(node->inputs[0], count, &some, err));
    *discarded += some;
    if (some == count) return STK_OK;
    stk_node_close_input(node, 0);
    STK_STATE(state, node)->pass++;
    return STK_OK;
}

/* Pulls the first element of an epoch, since an epoch without one is the end; the input skips the
 * rest. */
static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    const state *s = STK_STATE(state, node);
    while (*discarded < count) {
        stk_element *element = NULL;
        STK_TRY(stk_node_check(node, err));
        if (node->inputs[0] && s->gave)
            STK_TRY(discard_rest(node, count - *discarded, discarded, err));
        discard_passes(node, count - *discarded, discarded);
        if (*discarded == count) break;
        const stk_status st = next(node, &element, err);
        if (stk_status_is_environment(st)) return st;
        if (!st && !element) break;
        if (st)
            stk_run_pass_error(node->run, err);
        else
            stk_element_unref(element);
        ++*discarded;
    }
    return STK_OK;
}

const stk_operator stk_operator_repeat = {
    .name = "repeat",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_LAZY_INPUTS | STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(stk_repeat_params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .state_bytes = sizeof(state),
    .next = next,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_repeat(stk_dataset **data, int64_t count, stk_error *err)
{
    const stk_repeat_params p = {.count = count};
    return stk_dataset_append(data, &stk_operator_repeat, &p, err);
}
