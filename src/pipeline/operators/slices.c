/* slices: the rows of one element. */
#include "pipeline/element/spec.h"
#include "pipeline/operators/operators.h"
#include "pipeline/plan/element_hash.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline/support/batch_rows.h"

#include <inttypes.h>
#include <stoker/dataset_sources.h>

typedef struct params {
    stk_element *element; /* one reference */
} params;

typedef struct state {
    int64_t given, rows;
} state;

static void release_params(void *untyped)
{
    stk_element_unref(((params *)untyped)->element);
}

static int64_t rows_of(const stk_element *element)
{
    int64_t rows;
    return stk_rows_count(element, "slices", &rows, NULL) ? 0 : rows;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_element *element = ((const params *)data->params)->element;
    int64_t            rows;
    stk_element_spec   full;
    STK_TRY(stk_rows_count(element, "slices", &rows, err));
    STK_TRY(stk_spec_of_element(&full, element, &data->arena, err));
    /* The spec of a ragged value knows no shape, the value itself does. */
    stk_value_spec *values = (stk_value_spec *)full.values;
    for (size_t i = 0; i < full.count; i++)
        values[i].rank_known = true;
    return stk_spec_rows(&data->spec, &full, "slices", &rows, &data->arena, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return rows_of(((const params *)data->params)->element);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_element *element = ((const params *)data->params)->element;
    return stk_describe(out, err, "%" PRId64 ", content %016" PRIx64, rows_of(element),
                        stk_element_hash(0, element));
}

static stk_status row_at(const params *p, int64_t index, uint64_t epoch, stk_element **out,
                         stk_error *err)
{
    STK_TRY(stk_rows_take(out, p->element, index, NULL, err));
    const stk_origin from = {.index = (uint64_t)index, .record = (uint64_t)index, .epoch = epoch};
    stk_element_set_origin(*out, &from);
    return STK_OK;
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    (void)ledger;
    if (index >= (uint64_t)data->cardinality)
        return stk_fail(err, STK_E_RANGE, "slices", NULL,
                        "row %" PRIu64 " was asked for; there are %" PRId64, index,
                        data->cardinality);
    return row_at(data->params, (int64_t)index, 0, out, err);
}

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    STK_STATE(state, node)->rows = node->plan->cardinality;
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    if (s->given == s->rows) return STK_OK;
    return row_at(node->plan->params, s->given++, node->epoch, out, err);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    (void)err;
    state         *s = STK_STATE(state, node);
    const uint64_t left = (uint64_t)(s->rows - s->given);
    *discarded = count < left ? count : left;
    s->given += (int64_t)*discarded;
    return STK_OK;
}

const stk_operator stk_operator_slices = {
    .name = "slices",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .at = at,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .discard = discard,
};

stk_status stk_dataset_slices(stk_dataset **out, const stk_element *element, stk_error *err)
{
    const params p = {.element = stk_element_ref(element)};
    return stk_dataset_make(out, &stk_operator_slices, &p, NULL, 0, err);
}
