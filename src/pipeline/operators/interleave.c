/* interleave: several datasets in turn. The order is that of one thread, whatever runs ahead: slots
 * are visited round robin, block elements a visit. An exhausted slot ends its visit and is refilled
 * on its next one. */
#include "pipeline/operators/interleave_slots.h"
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/function_state.h"

#include "base/limits.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CYCLE_MAX = 1048576 };

static void release_params(void *params)
{
    stk_function_unref(((stk_interleave_params *)params)->function);
}

static stk_status check_range(const char *what, int64_t number, stk_error *err)
{
    if (number >= 1 && number <= CYCLE_MAX) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "interleave", NULL,
                    "%s is %" PRId64 "; it must be from 1 to %d", what, number, CYCLE_MAX);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_interleave_params *p = data->params;
    STK_TRY(check_range("cycle", p->cycle, err));
    STK_TRY(check_range("block", p->block, err));
    if (p->parallel < STK_AUTO)
        return stk_fail(err, STK_E_INVALID, "interleave", NULL,
                        "parallel is %" PRId64
                        "; give 0 for one at a time, 1 or more, or -1 for as many as help",
                        p->parallel);
    if (p->parallel > p->cycle)
        return stk_fail(err, STK_E_INVALID, "interleave", NULL,
                        "parallel is %" PRId64 " but only %" PRId64
                        " datasets are open at a time; lower parallel or raise cycle",
                        p->parallel, p->cycle);
    if ((unsigned)p->order > STK_ORDER_RELAXED)
        return stk_fail(err, STK_E_INVALID, "interleave", NULL,
                        "the order is %u; it is 0 (default), 1 (exact) or 2 (relaxed)",
                        (unsigned)p->order);
    return stk_expand_check(data, p->function, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality == STK_CARDINALITY_INFINITE ? STK_CARDINALITY_INFINITE
                                                                    : STK_CARDINALITY_UNKNOWN;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_interleave_params *p = data->params;
    STK_TRY(stk_describe_function(out, p->function, err));
    STK_TRY(stk_describe(out, err, ", cycle %" PRId64 ", block %" PRId64, p->cycle, p->block));
    if (p->parallel == STK_AUTO) STK_TRY(stk_describe(out, err, ", parallel"));
    if (p->parallel > 0) STK_TRY(stk_describe(out, err, ", parallel %" PRId64, p->parallel));
    return p->order
               ? stk_describe(out, err, p->order == STK_ORDER_EXACT ? ", in order" : ", relaxed")
               : STK_OK;
}

static unsigned traits_of(const stk_dataset *data)
{
    const stk_interleave_params *p = data->params;
    return stk_expand_traits(p->function) | (p->parallel ? STK_OPERATOR_RUNS_AHEAD : 0) |
           (p->parallel ? stk_order_traits(p->order) : 0);
}

typedef struct state {
    stk_slots slots;
    int64_t   at;      /* the slot whose turn it is */
    int64_t   taken;   /* of its block */
    bool      relaxed; /* any ready slot may be next */
} state;

static stk_status open(stk_node *node, stk_error *err)
{
    const stk_interleave_params *p = node->plan->params;
    state                       *s = STK_STATE(state, node);
    const bool relaxed = p->order == STK_ORDER_DEFAULT ? stk_run_options_of(node->run)->relaxed
                                                       : p->order == STK_ORDER_RELAXED;
    s->relaxed = relaxed && p->parallel;
    return stk_slots_init(&s->slots, node, err);
}

/* Slots past the last that was ever filled stay empty once the input has ended. */
static void next_slot(state *s, int64_t cycle)
{
    s->taken = 0;
    s->at++;
    const bool none_left = stk_slots_input_is_used_up(&s->slots);
    if (s->at >= cycle || (none_left && (size_t)s->at >= s->slots.used)) s->at = 0;
}

/* With relaxed order: waiting datasets go into empty slots at once. */
static void prefer_empty(state *s, int64_t cycle)
{
    if (!s->slots.waiting || s->slots.open == (size_t)cycle) return;
    size_t at = 0;
    while (at < s->slots.used && s->slots.list[at].node)
        at++;
    s->at = (int64_t)at;
    s->taken = 0;
}

/* Gives the turn to the next slot that need not be waited for, if there is one. */
static void prefer_ready(state *s)
{
    const size_t used = s->slots.used;
    for (size_t i = 0; i < used; i++) {
        const size_t at = ((size_t)s->at + i) % used;
        stk_nested  *inner = &s->slots.list[at];
        if (!inner->node || !stk_node_queue_is_ready(inner->queue)) continue;
        if ((int64_t)at != s->at) s->taken = 0;
        s->at = (int64_t)at;
        return;
    }
}

static bool turn_is_dry(const state *s)
{
    return (size_t)s->at >= s->slots.used || !s->slots.list[s->at].node;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const stk_interleave_params *p = node->plan->params;
    state                       *s = STK_STATE(state, node);
    for (;;) {
        STK_TRY(stk_node_check(node, err));
        STK_TRY(stk_slots_look_ahead(&s->slots, node, err));
        if (s->relaxed) prefer_empty(s, p->cycle);
        if (turn_is_dry(s) && !stk_slots_input_is_used_up(&s->slots)) {
            STK_TRY(stk_slots_fill(&s->slots, node, (size_t)s->at, err));
            continue;
        }
        if (!s->slots.open) return STK_OK;
        if (s->relaxed) prefer_ready(s);
        if (!turn_is_dry(s)) {
            STK_TRY(stk_nested_next(&s->slots.list[s->at], out, err));
            if (*out) {
                if (++s->taken == p->block) next_slot(s, p->cycle);
                return STK_OK;
            }
            stk_slots_close(&s->slots, (size_t)s->at);
        }
        next_slot(s, p->cycle);
    }
}

static void close(stk_node *node)
{
    stk_slots_release(&STK_STATE(state, node)->slots);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const state *s = STK_STATE(state, node);
    STK_TRY(stk_state_put_i64(out, s->at, err));
    STK_TRY(stk_state_put_i64(out, s->taken, err));
    STK_TRY(stk_slots_save(&s->slots, out, err));
    STK_TRY(stk_function_save(STK_PARAMS(stk_interleave_params, node)->function, out, err));
    return stk_node_save_input(node, out, err);
}

/* The function's own state comes last: opening the slots calls the function again. */
static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    const stk_interleave_params *p = node->plan->params;
    state                       *s = STK_STATE(state, node);
    STK_TRY(stk_state_get_i64(in, &s->at, err));
    STK_TRY(stk_state_get_i64(in, &s->taken, err));
    STK_TRY(stk_slots_restore(&s->slots, node, in, err));
    const bool turn = s->at >= 0 && s->at < p->cycle && (size_t)s->at <= s->slots.used;
    if (!turn || s->taken < 0 || s->taken >= p->block)
        return stk_state_damaged(in, "the slot whose turn it is", err);
    STK_TRY(stk_function_restore(p->function, in, err));
    return stk_node_restore_input(node, in, err);
}

const stk_operator stk_operator_interleave = {
    .name = "interleave",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(stk_interleave_params),
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

/* TensorFlow's defaults. Chosen here, not when running, because the order depends on it: plan and
 * fingerprint show the number, and a checkpoint of another one is refused. */
static int64_t default_cycle(int64_t parallel)
{
    const int64_t cores = stk_limits_cores();
    if (parallel == STK_AUTO) return (cores + 2) / 3;
    return parallel > 0 && parallel < cores ? parallel : cores;
}

stk_status stk_dataset_interleave(stk_dataset **data, stk_function *function,
                                  const stk_interleave_options *options, stk_error *err)
{
    static const stk_interleave_options defaults = {0};
    if (!options) options = &defaults;
    stk_interleave_params p = {.function = stk_function_ref(function),
                               .cycle = options->cycle,
                               .block = options->block ? options->block : 1,
                               .parallel = options->parallel,
                               .order = options->order};
    if (p.cycle == 0 || p.cycle == STK_AUTO) {
        p.cycle = default_cycle(p.parallel);
        if (p.parallel > p.cycle) p.parallel = p.cycle;
    }
    return stk_dataset_append(data, &stk_operator_interleave, &p, err);
}
