/* range: numbers from start up or down to stop. */
#include "pipeline/runtime/run_node.h"

#include <inttypes.h>
#include <stoker/dataset_sources.h>

typedef struct params {
    int64_t start, stop, step;
} params;

typedef struct state {
    uint64_t given, count;
} state;

/* Differences are unsigned: the full range of int64 fits. */
static uint64_t count_of(const params *p)
{
    if (p->step > 0)
        return p->start >= p->stop
                   ? 0
                   : ((uint64_t)p->stop - (uint64_t)p->start - 1) / (uint64_t)p->step + 1;
    return p->start <= p->stop
               ? 0
               : ((uint64_t)p->start - (uint64_t)p->stop - 1) / (0 - (uint64_t)p->step) + 1;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params *p = data->params;
    if (p->step == 0)
        return stk_fail(err, STK_E_INVALID, "range", NULL,
                        "the step is 0; give one above or below 0");
    const stk_value_spec   value = {.name = "0", .dtype = STK_DTYPE_I64, .rank_known = true};
    const stk_element_spec spec = {.known = true, .count = 1, .values = &value};
    return stk_dataset_set_spec(data, &spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const uint64_t count = count_of(data->params);
    return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    return stk_describe(out, err, "%" PRId64 ", %" PRId64 ", %" PRId64, p->start, p->stop, p->step);
}

static stk_status element_at(const params *p, uint64_t index, uint64_t epoch, stk_element **out,
                             stk_error *err)
{
    STK_TRY(stk_element_new(out, 1, err));
    stk_value_i64(stk_element_edit(*out, 0),
                  (int64_t)((uint64_t)p->start + index * (uint64_t)p->step));
    const stk_origin from = {.index = index, .record = index, .epoch = epoch};
    stk_element_set_origin(*out, &from);
    return STK_OK;
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    (void)ledger;
    const uint64_t count = count_of(data->params);
    if (index >= count)
        return stk_fail(err, STK_E_RANGE, "range", NULL,
                        "element %" PRIu64 " was asked for; there are %" PRIu64, index, count);
    return element_at(data->params, index, 0, out, err);
}

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    STK_STATE(state, node)->count = count_of(node->plan->params);
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    if (s->given == s->count) return STK_OK;
    return element_at(node->plan->params, s->given++, node->epoch, out, err);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    (void)err;
    state *s = STK_STATE(state, node);
    *discarded = count < s->count - s->given ? count : s->count - s->given;
    s->given += *discarded;
    return STK_OK;
}

const stk_operator stk_operator_range = {
    .name = "range",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .at = at,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .discard = discard,
};

stk_status stk_dataset_range(stk_dataset **out, int64_t start, int64_t stop, int64_t step,
                             stk_error *err)
{
    const params p = {start, stop, step};
    return stk_dataset_make(out, &stk_operator_range, &p, NULL, 0, err);
}
