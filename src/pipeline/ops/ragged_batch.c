/* ragged_batch: values whose leading dimension differs, as ragged ones. */
#include "base/checked.h"
#include "pipeline/element/places.h"
#include "pipeline/element/spec.h"
#include "pipeline/ops/assemble.h"
#include "pipeline/ops/gather.h"
#include "pipeline/ops/ops.h"
#include "pipeline/ops/rows.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    int64_t size;
    bool    drop_remainder;
    bool    after_map; /* as in batch: errors of the input take their places */
} params;

/* As in TensorFlow, values whose shape is known in full, scalars among them, stay dense. */
static bool is_fixed(const stk_value_spec *value)
{
    if (!value->rank_known) return false;
    for (int d = 0; d < value->shape.rank; d++)
        if (value->shape.dim[d] < 0) return false;
    return true;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params           *p = data->params;
    const stk_element_spec *input = &data->inputs[0]->spec;
    if (p->size < 1)
        return stk_fail(err, STK_E_INVALID, "ragged_batch", NULL,
                        "the batch size is %" PRId64 "; it must be at least 1", p->size);
    for (size_t i = 0; input->known && i < input->count; i++)
        if (input->values[i].kind != STK_VALUE_DENSE)
            return stk_fail(err, STK_E_TYPE, "ragged_batch", input->values[i].name,
                            "the value is not dense; only dense values can be batched");
    STK_TRY(
        stk_spec_batched(&data->spec, input, p->drop_remainder ? p->size : -1, &data->arena, err));
    stk_value_spec *values = (stk_value_spec *)data->spec.values;
    for (size_t i = 0; i < data->spec.count; i++) {
        if (is_fixed(&input->values[i])) continue;
        values[i].kind = STK_VALUE_RAGGED;
        values[i].shape = input->values[i].shape;
        values[i].shape.dim[0] = -1;
    }
    return STK_OK;
}

static int64_t cardinality(const stk_dataset *data)
{
    const params *p = data->params;
    return stk_gather_batches(data->inputs[0]->cardinality, p->size, p->drop_remainder);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    return stk_describe(out, err, "%" PRId64 "%s", p->size, p->drop_remainder ? ", drop" : "");
}

/* One value of all elements as an element of its own, so that batch and join can be used on it. */
static stk_status split_off(stk_gather *parts, const stk_gather *gather, size_t v, stk_error *err)
{
    for (size_t i = 0; i < gather->count; i++) {
        stk_element *part;
        STK_TRY(stk_element_new(&part, 1, err));
        stk_element_set_origin(part, stk_element_origin(gather->elements[i]));
        *stk_element_edit(part, 0) = stk_value_ref(stk_element_value(gather->elements[i], v));
        STK_TRY(stk_gather_keep(parts, part, "ragged_batch", err));
    }
    return STK_OK;
}

static stk_status refuse_scalar(const stk_element *element, size_t v, stk_error *err)
{
    char where[256];
    return stk_fail(err, STK_E_INVALID, "ragged_batch",
                    stk_element_where(element, where, sizeof where),
                    "component %zu is a scalar in one element and not in another, or was declared "
                    "without its rank; ragged rows need a leading dimension",
                    v);
}

/* Where rows of each element end among the flat values of all. */
static stk_status find_splits(stk_blob *splits, const stk_gather *parts, size_t v, stk_error *err)
{
    int64_t end = 0;
    STK_TRY(stk_blob_append(splits, &end, sizeof end, err));
    for (size_t i = 0; i < parts->count; i++) {
        const stk_value *value = stk_element_value(parts->elements[i], 0);
        if (value->kind == STK_VALUE_DENSE && value->shape.rank == 0)
            return refuse_scalar(parts->elements[i], v, err);
        if (stk_add_overflows_i64(end, value->shape.dim[0], &end))
            return stk_fail(err, STK_E_LIMIT, "ragged_batch", NULL, "the batch has too many rows");
        STK_TRY(stk_blob_append(splits, &end, sizeof end, err));
    }
    return STK_OK;
}

static stk_status make_ragged(stk_value *out, const stk_gather *parts, size_t v, stk_error *err)
{
    stk_blob     splits;
    stk_element *flat = NULL;
    stk_blob_init(&splits, parts->ledger, STK_MEMORY_BATCH);
    stk_status st = find_splits(&splits, parts, v, err);
    if (!st)
        st =
            stk_rows_join(&flat, parts->elements, parts->count, "ragged_batch", parts->ledger, err);
    if (!st) {
        const stk_value *dense = stk_element_value(flat, 0);
        st = stk_value_with_places(out, STK_VALUE_RAGGED, dense, &dense->shape,
                                   (const int64_t *)(const void *)splits.data,
                                   (int64_t)parts->count, parts->ledger, err);
    }
    stk_element_unref(flat);
    stk_blob_release(&splits);
    return st;
}

static stk_status make_dense(stk_value *out, const stk_gather *parts, stk_error *err)
{
    stk_element *batch;
    STK_TRY(stk_assemble(&batch, parts->elements, parts->count,
                         &(stk_batch_memory){.ledger = parts->ledger}, err));
    *out = stk_value_ref(stk_element_value(batch, 0));
    stk_element_unref(batch);
    return STK_OK;
}

/* Without a spec the first element tells. */
static bool wants_dense(const stk_dataset *data, const stk_element *first, size_t v)
{
    const stk_element_spec *spec = &data->inputs[0]->spec;
    if (spec->known && v < spec->count) return is_fixed(&spec->values[v]);
    return stk_element_value(first, v)->shape.rank == 0;
}

static stk_status make_batch(stk_node *node, const stk_gather *gather, stk_element **out,
                             stk_error *err)
{
    const size_t values = stk_element_count(gather->elements[0]);
    for (size_t i = 1; i < gather->count; i++)
        if (stk_element_count(gather->elements[i]) != values)
            return stk_fail(err, STK_E_INVALID, "ragged_batch", NULL,
                            "the first element has %zu values, element %zu has %zu", values, i,
                            stk_element_count(gather->elements[i]));
    stk_element *batch;
    STK_TRY(stk_element_new(&batch, values, err));
    stk_element_set_origin(batch, stk_element_origin(gather->elements[0]));
    stk_gather parts = {.ledger = gather->ledger};
    stk_status st = STK_OK;
    for (size_t v = 0; v < values && !st; v++) {
        stk_value *to = stk_element_edit(batch, v);
        st = split_off(&parts, gather, v, err);
        if (!st)
            st = wants_dense(node->plan, gather->elements[0], v) ? make_dense(to, &parts, err)
                                                                 : make_ragged(to, &parts, v, err);
        stk_gather_clear(&parts);
    }
    stk_gather_release(&parts);
    if (st) {
        stk_element_unref(batch);
        return st;
    }
    *out = batch;
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params *p = node->plan->params;
    stk_gather   *gather = STK_STATE(stk_gather, node);
    bool          whole;
    stk_status    st = stk_gather_fill(
           gather, node, p->size,
        p->after_map ? STK_ERRORS_TAKE_THEIR_PLACE : STK_ERRORS_END_THE_BATCH, &whole, err);
    if (!st && gather->count && (whole || !p->drop_remainder))
        st = make_batch(node, gather, out, err);
    stk_gather_clear(gather);
    return st;
}

const stk_op stk_op_ragged_batch = {
    .name = "ragged_batch",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .state_bytes = sizeof(stk_gather),
    .next = next,
    .close = stk_gather_close,
    .save = stk_node_save_input,
    .restore = stk_node_restore_input,
};

/* TensorFlow makes elements ragged by a map of its own, over which the batch then stands; that map
 * is dropped where it has nothing to do. */
static bool stands_over_map(const stk_dataset *input)
{
    if (input->op == &stk_op_map || !input->spec.known) return true;
    for (size_t i = 0; i < input->spec.count; i++)
        if (!is_fixed(&input->spec.values[i])) return true;
    return false;
}

stk_status stk_dataset_ragged_batch(stk_dataset **data, int64_t size,
                                    const stk_batch_options *options, stk_error *err)
{
    const params p = {.size = size,
                      .drop_remainder = options && options->drop_remainder,
                      .after_map = stands_over_map(*data)};
    return stk_dataset_append(data, &stk_op_ragged_batch, &p, err);
}
