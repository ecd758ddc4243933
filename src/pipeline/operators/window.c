/* window: consecutive elements as datasets. */
#include "pipeline/operators/quarantine.h"
#include "pipeline/support/backlog.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    int64_t size, shift, stride;
    bool    drop_remainder;
} params;

typedef struct state {
    stk_backlog held;  /* from the first element of the next window */
    uint64_t    gap;   /* inputs to skip before it */
    bool        ended; /* the input gave its end */
} state;

static stk_status check_positive(const char *what, int64_t number, stk_error *err)
{
    if (number > 0) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "window", NULL,
                    "the %s is %" PRId64 "; it must be at least 1", what, number);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(check_positive("size", p->size, err));
    STK_TRY(check_positive("shift", p->shift, err));
    STK_TRY(check_positive("stride", p->stride, err));
    const stk_value_spec value = {
        .name = "window", .kind = STK_VALUE_DATASET, .inner = &data->inputs[0]->spec};
    const stk_element_spec spec = {.known = true, .count = 1, .values = &value};
    return stk_dataset_set_spec(data, &spec, err);
}

/* Inputs from a window's first element to its last. */
static uint64_t span_of(const params *p)
{
    uint64_t span;
    if (__builtin_mul_overflow((uint64_t)p->size - 1, (uint64_t)p->stride, &span)) return INT64_MAX;
    return span < INT64_MAX ? span + 1 : INT64_MAX;
}

static int64_t cardinality(const stk_dataset *data)
{
    const params *p = data->params;
    const int64_t count = data->inputs[0]->cardinality;
    if (count < 0) return count;
    if (!p->drop_remainder) return count / p->shift + (count % p->shift != 0);
    const uint64_t span = span_of(p);
    return (uint64_t)count < span ? 0 : (count - (int64_t)span) / p->shift + 1;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    return stk_describe(out, err, "%" PRId64 ", shift %" PRId64 ", stride %" PRId64 "%s", p->size,
                        p->shift, p->stride, p->drop_remainder ? ", drop" : "");
}

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    stk_backlog_init(&STK_STATE(state, node)->held, "window",
                     stk_run_options_of(node->run)->ledger);
    return STK_OK;
}

/* Skipped elements are not computed if the input can avoid it; their errors are ignored. */
static stk_status cross_gap(stk_node *node, stk_error *err)
{
    state *s = STK_STATE(state, node);
    if (!s->gap || s->ended) return STK_OK;
    uint64_t   crossed = 0;
    stk_status st = stk_node_discard(node->inputs[0], s->gap, &crossed, err);
    if (!st && crossed < s->gap) s->ended = true;
    s->gap -= crossed;
    return st;
}

/* Errors are held as items: one that the stride leaves out must not surface. Errors of the machine
 * are returned at once. */
static stk_status fill(stk_node *node, uint64_t span, stk_error *err)
{
    state *s = STK_STATE(state, node);
    while (s->held.count < span && !s->ended) {
        STK_TRY(stk_node_check(node, err));
        stk_queue_item item = {0};
        stk_error      failure;
        stk_status     st = stk_node_pull(node, &item.element, &failure);
        if (stk_ends_run(st, &failure) || stk_status_is_environment(st)) {
            if (err) *err = failure;
            return st;
        }
        if (st) stk_queue_item_fail(&item, &failure);
        if (st || item.element)
            STK_TRY(stk_backlog_push(&s->held, &item, err));
        else
            s->ended = true;
    }
    return STK_OK;
}

/* Leaves the beginning of the next window in held. */
static void move_on(state *s, uint64_t shift)
{
    const uint64_t dropped = shift < s->held.count ? shift : s->held.count;
    stk_backlog_drop(&s->held, (size_t)dropped);
    s->gap = shift - dropped;
}

static stk_status wrap(stk_dataset *window, const stk_element *first, stk_element **out,
                       stk_error *err)
{
    STK_TRY(stk_element_new(out, 1, err));
    stk_value_dataset(stk_element_edit(*out, 0), window);
    stk_element_set_origin(*out, stk_element_origin(first));
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params  *p = node->plan->params;
    state         *s = STK_STATE(state, node);
    const uint64_t span = span_of(p);
    STK_TRY(cross_gap(node, err));
    STK_TRY(fill(node, span, err));
    if (!s->held.count || (p->drop_remainder && s->held.count < span)) return STK_OK;
    stk_dataset *window;
    stk_status   st =
        stk_backlog_dataset(&s->held, (size_t)p->stride, node->plan->inputs[0], &window, err);
    if (!st) st = wrap(window, s->held.items[0].element, out, err);
    stk_dataset_unref(window);
    move_on(s, (uint64_t)p->shift);
    return st;
}

static void close(stk_node *node)
{
    stk_backlog_release(&STK_STATE(state, node)->held);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const state *s = STK_STATE(state, node);
    STK_TRY(stk_state_put_u64(out, s->gap, err));
    STK_TRY(stk_backlog_save(&s->held, out, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    state *s = STK_STATE(state, node);
    STK_TRY(stk_state_get_count(in, (uint64_t)STK_PARAMS(params, node)->shift - 1, &s->gap, err));
    STK_TRY(stk_backlog_restore(&s->held, &node->plan->inputs[0]->spec, in, err));
    return stk_node_restore_input(node, in, err);
}

const stk_operator stk_operator_window = {
    .name = "window",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
};

stk_status stk_dataset_window(stk_dataset **data, int64_t size, const stk_window_options *options,
                              stk_error *err)
{
    static const stk_window_options defaults = {0};
    if (!options) options = &defaults;
    const bool   beside = !options->shift || options->shift == STK_AUTO;
    const params p = {.size = size,
                      .shift = beside && size > 0 ? size : options->shift,
                      .stride = options->stride ? options->stride : 1,
                      .drop_remainder = options->drop_remainder};
    return stk_dataset_append(data, &stk_operator_window, &p, err);
}
