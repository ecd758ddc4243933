/* ragged_batch: batches values of different dimensions as ragged ones; and batch for ragged inputs.
 */
#include "pipeline/operators/batch.h"

#include "pipeline/element/spec.h"
#include "pipeline/operators/operators.h"
#include "pipeline/support/batch_builder.h"
#include "pipeline/support/batch_rows.h"
#include "pipeline/support/stack.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    int64_t size;
    bool    drop_remainder;
    bool    after_map; /* as in batch: errors of the input count as elements */
    bool    plain;     /* batch: only what was ragged before is */
} params;

/* As in TensorFlow, values whose shape is known in full, scalars among them, stay dense. Else they
 * are ragged up to the last dimension that is not known. */
static int open_dimensions(const stk_value_spec *value)
{
    int open = 0;
    if (!value->rank_known) return 1;
    for (int d = 0; d < value->shape.rank; d++)
        if (value->shape.dim[d] < 0) open = d + 1;
    return open;
}

/* Levels of the batch of such values; 0: it is dense. */
static int levels_of(const stk_value_spec *value, bool plain)
{
    if (value->kind == STK_VALUE_RAGGED) return value->ragged > 1 ? value->ragged + 1 : 2;
    if (value->ragged) return value->ragged == 1;
    return plain ? 0 : open_dimensions(value);
}

static stk_status check_value(const params *p, const stk_value_spec *value, const char *component,
                              stk_error *err)
{
    if (value->kind == STK_VALUE_SPARSE || value->kind == STK_VALUE_DATASET)
        return stk_fail(err, STK_E_TYPE, component, value->name,
                        "the value is %s; only dense and ragged values can be batched",
                        value->kind == STK_VALUE_SPARSE ? "sparse" : "a dataset");
    if (levels_of(value, p->plain) > STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, component, value->name,
                        "a batch of it would have %d ragged dimensions; at most %d are possible",
                        levels_of(value, p->plain), STK_MAX_RANK);
    return STK_OK;
}

static void set_value(stk_value_spec *out, const stk_value_spec *input, bool plain, int64_t leading)
{
    const int levels = levels_of(input, plain);
    if (!levels && input->ragged) out->ragged = input->ragged - 1;
    if (!levels) return;
    out->shape = input->shape;
    if (input->kind == STK_VALUE_DENSE && input->rank_known) {
        out->shape.rank -= levels - 1;
        memmove(out->shape.dim, out->shape.dim + levels - 1,
                (size_t)out->shape.rank * sizeof *out->shape.dim);
    }
    out->shape.dim[0] = leading;
    out->kind = STK_VALUE_RAGGED;
    out->ragged = levels;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params           *p = data->params;
    const stk_element_spec *input = &data->inputs[0]->spec;
    const char             *stage = data->op->name;
    if (p->size < 1)
        return stk_fail(err, STK_E_INVALID, stage, NULL,
                        "the batch size is %" PRId64 "; it must be at least 1", p->size);
    for (size_t i = 0; input->known && i < input->count; i++)
        STK_TRY(check_value(p, &input->values[i], stage, err));
    const int64_t leading = p->drop_remainder ? p->size : -1;
    STK_TRY(stk_spec_batched(&data->spec, input, leading, &data->arena, err));
    stk_value_spec *values = (stk_value_spec *)data->spec.values;
    for (size_t i = 0; i < data->spec.count; i++)
        set_value(&values[i], &input->values[i], p->plain, leading);
    return STK_OK;
}

static int64_t cardinality(const stk_dataset *data)
{
    const params *p = data->params;
    return stk_batch_builder_batches(data->inputs[0]->cardinality, p->size, p->drop_remainder);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    return stk_describe(out, err, "%" PRId64 "%s", p->size, p->drop_remainder ? ", drop" : "");
}

/* One value of all elements as an element of its own, so that batch and join can be used on it. */
static stk_status split_off(stk_batch_builder *parts, const stk_batch_builder *gather, size_t v,
                            stk_error *err)
{
    for (size_t i = 0; i < gather->count; i++) {
        stk_element *part;
        STK_TRY(stk_element_new(&part, 1, err));
        stk_element_set_origin(part, stk_element_origin(gather->elements[i]));
        *stk_element_edit(part, 0) = stk_value_ref(stk_element_value(gather->elements[i], v));
        STK_TRY(stk_batch_builder_keep(parts, part, "ragged_batch", err));
    }
    return STK_OK;
}

static stk_status make_dense(stk_value *out, const stk_batch_builder *parts, stk_error *err)
{
    stk_element *batch;
    STK_TRY(stk_stack(&batch, parts->elements, parts->count,
                      &(stk_batch_memory){.ledger = parts->ledger}, err));
    *out = stk_value_ref(stk_element_value(batch, 0));
    stk_element_unref(batch);
    return STK_OK;
}

/* Without a spec the first element decides. */
static int wanted_levels(const stk_dataset *data, const stk_element *first, size_t v)
{
    const stk_element_spec *spec = &data->inputs[0]->spec;
    const stk_value        *value = stk_element_value(first, v);
    if (spec->known && v < spec->count)
        return levels_of(&spec->values[v], ((const params *)data->params)->plain);
    if (value->kind == STK_VALUE_RAGGED) return value->levels + 1;
    return value->shape.rank > 0;
}

static stk_status make_value(stk_value *out, stk_node *node, const stk_batch_builder *gather,
                             size_t v, stk_error *err)
{
    const int levels = wanted_levels(node->plan, gather->elements[0], v);
    if (levels)
        return stk_rows_stack(out, gather->elements, gather->count, v, levels, node->plan->op->name,
                              gather->ledger, err);
    stk_batch_builder parts = {.ledger = gather->ledger};
    stk_status        st = split_off(&parts, gather, v, err);
    if (!st) st = make_dense(out, &parts, err);
    stk_batch_builder_release(&parts);
    return st;
}

static stk_status make_batch(stk_node *node, const stk_batch_builder *gather, stk_element **out,
                             stk_error *err)
{
    const size_t values = stk_element_count(gather->elements[0]);
    for (size_t i = 1; i < gather->count; i++)
        if (stk_element_count(gather->elements[i]) != values)
            return stk_fail(err, STK_E_INVALID, node->plan->op->name, NULL,
                            "the first element has %zu values, element %zu has %zu", values, i,
                            stk_element_count(gather->elements[i]));
    stk_element *batch;
    STK_TRY(stk_element_new(&batch, values, err));
    stk_element_set_origin(batch, stk_element_origin(gather->elements[0]));
    stk_status st = STK_OK;
    for (size_t v = 0; v < values && !st; v++)
        st = make_value(stk_element_edit(batch, v), node, gather, v, err);
    if (st) {
        stk_element_unref(batch);
        return st;
    }
    *out = batch;
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params      *p = node->plan->params;
    stk_batch_builder *gather = STK_STATE(stk_batch_builder, node);
    bool               complete;
    stk_status         st = stk_batch_builder_fill(
                gather, node, p->size, p->after_map ? STK_ERRORS_LOSE_THE_BATCH : STK_ERRORS_END_THE_BATCH,
                &complete, err);
    if (!st && gather->count && (complete || !p->drop_remainder))
        st = make_batch(node, gather, out, err);
    stk_batch_builder_clear(gather);
    return st;
}

#define OPERATOR                                                                                   \
    .stage = STK_STAGE_PREPROCESS, .params_bytes = sizeof(params), .check = check,                 \
    .cardinality = cardinality, .describe = describe, .state_bytes = sizeof(stk_batch_builder),    \
    .next = next, .close = stk_batch_builder_close, .save = stk_node_save_input,                   \
    .restore = stk_node_restore_input

const stk_operator stk_operator_ragged_batch = {.name = "ragged_batch", OPERATOR};
const stk_operator stk_operator_batch_of_ragged = {.name = "batch", OPERATOR};

/* TensorFlow makes elements ragged by a map of its own, over which the batch then stands; that map
 * is dropped where it has nothing to do. */
static bool stands_over_map(const stk_dataset *input)
{
    if (input->op == &stk_operator_map || !input->spec.known) return true;
    for (size_t i = 0; i < input->spec.count; i++) {
        const stk_value_spec *value = &input->spec.values[i];
        if (value->kind != STK_VALUE_DENSE || value->ragged || open_dimensions(value)) return true;
    }
    return false;
}

stk_status stk_dataset_ragged_batch(stk_dataset **data, int64_t size,
                                    const stk_batch_options *options, stk_error *err)
{
    const params p = {.size = size,
                      .drop_remainder = options && options->drop_remainder,
                      .after_map = stands_over_map(*data)};
    return stk_dataset_append(data, &stk_operator_ragged_batch, &p, err);
}

bool stk_batch_is_ragged(const stk_element_spec *input)
{
    for (size_t i = 0; input->known && i < input->count; i++)
        if (input->values[i].kind == STK_VALUE_RAGGED || input->values[i].ragged) return true;
    return false;
}

stk_status stk_batch_ragged(stk_dataset **data, int64_t size, const stk_batch_options *options,
                            stk_error *err)
{
    const params p = {.size = size,
                      .drop_remainder = options && options->drop_remainder,
                      .after_map = (*data)->op == &stk_operator_map,
                      .plain = true};
    return stk_dataset_append(data, &stk_operator_batch_of_ragged, &p, err);
}
