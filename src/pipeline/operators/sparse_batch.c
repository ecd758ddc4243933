/* sparse_batch: dense values of different shapes as one sparse value. */
#include "pipeline/element/ragged.h"
#include "pipeline/element/spec.h"
#include "pipeline/operators/operators.h"
#include "pipeline/support/batch_builder.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    int64_t   size;
    stk_shape row; /* -1: the largest in the batch */
} params;

static stk_status check_row(const stk_shape *row, stk_error *err)
{
    char text[128];
    if (row->rank < 0 || row->rank >= STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, "sparse_batch", NULL,
                        "the row shape has rank %d; 0 to %d is possible", row->rank,
                        STK_MAX_RANK - 1);
    for (int d = 0; d < row->rank; d++)
        if (row->dim[d] < -1)
            return stk_fail(err, STK_E_INVALID, "sparse_batch", NULL,
                            "the row shape is %s; give dimensions of 0 or more, or -1 for the "
                            "largest in the batch",
                            stk_shape_text(row, text, sizeof text));
    return STK_OK;
}

static stk_status check_input(const stk_element_spec *input, const stk_shape *row, stk_error *err)
{
    char a[128], b[128];
    if (!input->known) return STK_OK;
    if (input->count != 1)
        return stk_fail(err, STK_E_INVALID, "sparse_batch", NULL,
                        "elements have %zu values; they must have one", input->count);
    const stk_value_spec *value = &input->values[0];
    if (value->kind != STK_VALUE_DENSE)
        return stk_fail(err, STK_E_TYPE, "sparse_batch", value->name,
                        "the value is not dense; only dense values can be batched");
    if (value->rank_known && value->shape.rank != row->rank)
        return stk_fail(err, STK_E_INVALID, "sparse_batch", value->name,
                        "the row shape %s has another rank than values of shape %s",
                        stk_shape_text(row, a, sizeof a),
                        stk_shape_text(&value->shape, b, sizeof b));
    return STK_OK;
}

static stk_shape with_rows(const stk_shape *row, int64_t rows)
{
    stk_shape out = {.rank = row->rank + 1, .dim = {rows}};
    for (int d = 0; d < row->rank; d++)
        out.dim[d + 1] = row->dim[d];
    return out;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params           *p = data->params;
    const stk_element_spec *input = &data->inputs[0]->spec;
    if (p->size < 1)
        return stk_fail(err, STK_E_INVALID, "sparse_batch", NULL,
                        "the batch size is %" PRId64 "; it must be at least 1", p->size);
    STK_TRY(check_row(&p->row, err));
    STK_TRY(check_input(input, &p->row, err));
    const stk_value_spec   value = {.name = input->known ? input->values[0].name : "0",
                                    .kind = STK_VALUE_SPARSE,
                                    .dtype = input->known ? input->values[0].dtype : STK_DTYPE_NONE,
                                    .rank_known = true,
                                    .shape = with_rows(&p->row, -1)};
    const stk_element_spec spec = {.known = true, .count = 1, .values = &value};
    return stk_dataset_set_spec(data, &spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return stk_batch_builder_batches(data->inputs[0]->cardinality,
                                     ((const params *)data->params)->size, false);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    char          text[192];
    return stk_describe(out, err, "%" PRId64 ", rows of %s", p->size,
                        stk_shape_text(&p->row, text, sizeof text));
}

/* That the element is one value like the first's that fits; row grows where it may. */
static stk_status check_element(const stk_element *element, const stk_element *first, size_t index,
                                const stk_shape *fixed, stk_shape *row, stk_error *err)
{
    char where[256], a[128], b[128];
    stk_element_where(element, where, sizeof where);
    if (stk_element_count(element) != 1 || stk_element_value(element, 0)->kind != STK_VALUE_DENSE ||
        stk_element_value(element, 0)->dtype != stk_element_value(first, 0)->dtype)
        return stk_fail(err, STK_E_TYPE, "sparse_batch", where,
                        "element %zu of the batch is not one dense value of the type of the first",
                        index);
    const stk_shape *shape = &stk_element_value(element, 0)->shape;
    if (shape->rank != fixed->rank)
        return stk_fail(err, STK_E_INVALID, "sparse_batch", where,
                        "element %zu of the batch has shape %s, the row shape is %s; they must "
                        "have the same rank",
                        index, stk_shape_text(shape, a, sizeof a),
                        stk_shape_text(fixed, b, sizeof b));
    for (int d = 0; d < shape->rank; d++) {
        if (fixed->dim[d] >= 0 && shape->dim[d] > fixed->dim[d])
            return stk_fail(err, STK_E_DATALOSS, "sparse_batch", where,
                            "element %zu of the batch has shape %s, larger than the row shape %s; "
                            "give a larger one, or -1 for the largest in the batch",
                            index, stk_shape_text(shape, a, sizeof a),
                            stk_shape_text(fixed, b, sizeof b));
        if (shape->dim[d] > row->dim[d]) row->dim[d] = shape->dim[d];
    }
    return STK_OK;
}

/* Each element is checked on arrival: one that does not fit is an error, and the next batch begins
 * after it, as in TensorFlow. */
static stk_status gather_rows(stk_batch_builder *gather, stk_node *node, stk_shape *row,
                              stk_error *err)
{
    const params *p = node->plan->params;
    gather->ledger = stk_run_options_of(node->run)->ledger;
    *row = p->row;
    for (int d = 0; d < row->rank; d++)
        if (row->dim[d] < 0) row->dim[d] = 0;
    while (gather->count < (uint64_t)p->size) {
        stk_element *element;
        STK_TRY(stk_node_pull(node, &element, err));
        if (!element) return STK_OK;
        const size_t index = gather->count;
        STK_TRY(stk_batch_builder_keep(gather, element, "sparse_batch", err));
        STK_TRY(check_element(element, gather->elements[0], index, &p->row, row, err));
    }
    return STK_OK;
}

/* Appends the indices of all values of an element, in row-major order, and the values. */
static stk_status add_element(stk_blob *indices, stk_blob *flat, const stk_value *value,
                              int64_t row, stk_error *err)
{
    int64_t       index[STK_MAX_RANK + 1] = {row};
    const int     rank = value->shape.rank;
    const int64_t count = stk_value_elements(value);
    for (int64_t i = 0; i < count; i++) {
        STK_TRY(stk_blob_append(indices, index, ((size_t)rank + 1) * sizeof *index, err));
        for (int d = rank; d > 0 && ++index[d] == value->shape.dim[d - 1]; d--)
            index[d] = 0;
    }
    return stk_blob_append(flat, stk_value_data(value),
                           (size_t)count * stk_dtype_bytes(value->dtype), err);
}

static stk_status make_value(stk_value *out, const stk_batch_builder *gather, const stk_shape *row,
                             stk_blob *indices, stk_blob *flat, stk_error *err)
{
    const stk_shape shape = with_rows(row, (int64_t)gather->count);
    const stk_dtype dtype = stk_element_value(gather->elements[0], 0)->dtype;
    int64_t         all;
    STK_TRY(stk_shape_count(&shape, &all, err));
    /* So that there is something to point to when all elements are empty. */
    STK_TRY(stk_blob_reserve(indices, sizeof(int64_t), err));
    STK_TRY(stk_blob_reserve(flat, sizeof(stk_bytes), err));
    for (size_t i = 0; i < gather->count; i++)
        STK_TRY(
            add_element(indices, flat, stk_element_value(gather->elements[i], 0), (int64_t)i, err));
    const int64_t   count = (int64_t)(flat->size / stk_dtype_bytes(dtype));
    const stk_value dense = {
        .kind = STK_VALUE_DENSE, .dtype = dtype, .shape = stk_shape_1d(count), .data = flat->data};
    return stk_value_sparse(out, gather->ledger, &dense, &shape,
                            (const int64_t *)(const void *)indices->data, count, err);
}

static stk_status make_batch(const stk_batch_builder *gather, const stk_shape *row,
                             stk_element **out, stk_error *err)
{
    stk_element *batch;
    stk_blob     indices, flat;
    STK_TRY(stk_element_new(&batch, 1, err));
    stk_element_set_origin(batch, stk_element_origin(gather->elements[0]));
    stk_blob_init(&indices, gather->ledger, STK_MEMORY_BATCH);
    stk_blob_init(&flat, gather->ledger, STK_MEMORY_BATCH);
    stk_status st = make_value(stk_element_edit(batch, 0), gather, row, &indices, &flat, err);
    stk_blob_release(&indices);
    stk_blob_release(&flat);
    if (st) {
        stk_element_unref(batch);
        return st;
    }
    *out = batch;
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    stk_batch_builder *gather = STK_STATE(stk_batch_builder, node);
    stk_shape          row;
    stk_status         st = gather_rows(gather, node, &row, err);
    if (!st && gather->count) st = make_batch(gather, &row, out, err);
    stk_batch_builder_clear(gather);
    return st;
}

const stk_operator stk_operator_sparse_batch = {
    .name = "sparse_batch",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .state_bytes = sizeof(stk_batch_builder),
    .next = next,
    .close = stk_batch_builder_close,
    .save = stk_node_save_input,
    .restore = stk_node_restore_input,
};

stk_status stk_dataset_sparse_batch(stk_dataset **data, int64_t size, const stk_shape *row_shape,
                                    stk_error *err)
{
    if (!row_shape)
        return stk_fail(err, STK_E_INVALID, "sparse_batch", NULL,
                        "no row shape was given; give one, with -1 for the largest in the batch");
    const params p = {.size = size, .row = *row_shape};
    return stk_dataset_append(data, &stk_operator_sparse_batch, &p, err);
}
