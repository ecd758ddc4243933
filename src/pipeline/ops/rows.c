/* Rows of dense and ragged values. */
#include "pipeline/ops/rows.h"

#include "base/checked.h"
#include "pipeline/element/places.h"
#include "pipeline/element/spec.h"

#include <inttypes.h>
#include <stoker/blob.h>

static const char *const kinds[] = {"dense", "ragged", "sparse", "dataset"};

static stk_status rows_of(const stk_value *value, size_t index, const stk_element *element,
                          const char *stage, int64_t *rows, stk_error *err)
{
    char where[256];
    if (value->kind == STK_VALUE_SPARSE || value->kind == STK_VALUE_DATASET)
        return stk_fail(err, STK_E_INVALID, stage, stk_element_where(element, where, sizeof where),
                        "component %zu is %s; only dense and ragged values have rows", index,
                        kinds[value->kind]);
    if (value->shape.rank == 0)
        return stk_fail(err, STK_E_INVALID, stage, stk_element_where(element, where, sizeof where),
                        "component %zu is a scalar and has no rows; batch it before", index);
    *rows = value->kind == STK_VALUE_RAGGED ? value->count : value->shape.dim[0];
    return STK_OK;
}

stk_status stk_rows_count(const stk_element *element, const char *stage, int64_t *rows,
                          stk_error *err)
{
    char where[256];
    if (stk_element_count(element) == 0)
        return stk_fail(err, STK_E_INVALID, stage, stk_element_where(element, where, sizeof where),
                        "the element has no values, so it has no rows");
    STK_TRY(rows_of(stk_element_value(element, 0), 0, element, stage, rows, err));
    for (size_t i = 1; i < stk_element_count(element); i++) {
        int64_t other = 0;
        STK_TRY(rows_of(stk_element_value(element, i), i, element, stage, &other, err));
        if (other != *rows)
            return stk_fail(err, STK_E_INVALID, stage,
                            stk_element_where(element, where, sizeof where),
                            "component 0 has %" PRId64 " rows, component %zu has %" PRId64
                            "; all must have the same leading dimension",
                            *rows, i, other);
    }
    return STK_OK;
}

/* Rows [first, first + count) of a dense value, over the same storage. */
static stk_value dense_slice(const stk_value *value, int64_t first, int64_t count)
{
    stk_value slice = {.kind = STK_VALUE_DENSE, .dtype = value->dtype, .shape = value->shape};
    slice.shape.dim[0] = 1;
    const size_t row = (size_t)stk_value_elements(&slice) * stk_dtype_bytes(value->dtype);
    slice.shape.dim[0] = count;
    const uint8_t *from = (const uint8_t *)stk_value_data(value) + (size_t)first * row;
    const size_t   bytes = row * (size_t)count;
    if (bytes <= STK_VALUE_SMALL)
        memcpy(slice.small.bytes, from, bytes);
    else
        slice.data = from;
    if (value->storage && bytes && (slice.data || value->dtype == STK_DTYPE_BYTES))
        slice.storage = stk_buffer_ref(value->storage);
    return slice;
}

/* The flat values of rows [first, first + count) of a ragged value: one row of it is a dense value.
 */
static stk_value flat_of(const stk_value *value, int64_t first, int64_t count)
{
    return dense_slice(value, value->places[first],
                       value->places[first + count] - value->places[first]);
}

static stk_status ragged_slice(stk_value *out, const stk_value *value, int64_t first, int64_t count,
                               stk_ledger *ledger, stk_error *err)
{
    stk_blob splits;
    stk_blob_init(&splits, ledger, STK_MEMORY_BATCH);
    stk_value  flat = flat_of(value, first, count);
    stk_status st = STK_OK;
    for (int64_t i = 0; i <= count && !st; i++) {
        const int64_t split = value->places[first + i] - value->places[first];
        st = stk_blob_append(&splits, &split, sizeof split, err);
    }
    if (!st)
        st = stk_value_with_places(out, STK_VALUE_RAGGED, &flat, &flat.shape,
                                   (const int64_t *)(const void *)splits.data, count, ledger, err);
    stk_value_release(&flat);
    stk_blob_release(&splits);
    return st;
}

stk_status stk_rows_take(stk_element **out, const stk_element *element, int64_t index,
                         stk_error *err)
{
    STK_TRY(stk_element_new(out, stk_element_count(element), err));
    stk_element_set_origin(*out, stk_element_origin(element));
    for (size_t i = 0; i < stk_element_count(element); i++) {
        const stk_value *value = stk_element_value(element, i);
        *stk_element_edit(*out, i) = value->kind == STK_VALUE_RAGGED ? flat_of(value, index, 1)
                                                                     : stk_value_row(value, index);
    }
    return STK_OK;
}

stk_status stk_rows_slice(stk_element **out, const stk_element *element, int64_t first,
                          int64_t count, stk_ledger *ledger, stk_error *err)
{
    *out = NULL;
    stk_element *slice;
    STK_TRY(stk_element_new(&slice, stk_element_count(element), err));
    stk_element_set_origin(slice, stk_element_origin(element));
    stk_status st = STK_OK;
    for (size_t i = 0; i < stk_element_count(element) && !st; i++) {
        const stk_value *value = stk_element_value(element, i);
        stk_value       *to = stk_element_edit(slice, i);
        if (value->kind == STK_VALUE_RAGGED)
            st = ragged_slice(to, value, first, count, ledger, err);
        else
            *to = dense_slice(value, first, count);
    }
    if (st) {
        stk_element_unref(slice);
        return st;
    }
    *out = slice;
    return STK_OK;
}

static bool same_rows(const stk_shape *a, const stk_shape *b)
{
    stk_shape x = *a, y = *b;
    x.dim[0] = y.dim[0] = 0;
    return stk_shape_equal(&x, &y);
}

/* That all batches can be joined in value v; *rows is their sum. */
static stk_status check_join(stk_element *const *batches, size_t count, size_t v, const char *stage,
                             int64_t *rows, stk_error *err)
{
    const stk_value *first = stk_element_value(batches[0], v);
    char             where[256], a[128], b[128];
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        const stk_value *other = stk_element_value(batches[i], v);
        stk_element_where(batches[i], where, sizeof where);
        if (other->kind != STK_VALUE_DENSE)
            return stk_fail(err, STK_E_UNSUPPORTED, stage, where,
                            "component %zu is %s; only dense values can be joined", v,
                            kinds[other->kind]);
        if (other->dtype != first->dtype)
            return stk_fail(err, STK_E_TYPE, stage, where,
                            "component %zu is %s in one batch and %s in the next", v,
                            stk_dtype_name(first->dtype), stk_dtype_name(other->dtype));
        if (!same_rows(&first->shape, &other->shape))
            return stk_fail(err, STK_E_INVALID, stage, where,
                            "cannot join rows of different shapes in component %zu: one batch has "
                            "shape %s, the next has shape %s",
                            v, stk_shape_text(&first->shape, a, sizeof a),
                            stk_shape_text(&other->shape, b, sizeof b));
        if (stk_add_overflows_i64(*rows, other->shape.dim[0], rows))
            return stk_fail(err, STK_E_LIMIT, stage, where, "the batch has too many rows");
    }
    return STK_OK;
}

static stk_status join_strings(stk_value *out, stk_element *const *batches, size_t count, size_t v,
                               const stk_shape *shape, stk_ledger *ledger, stk_error *err)
{
    stk_blob views;
    stk_blob_init(&views, ledger, STK_MEMORY_BATCH);
    stk_status st = stk_blob_reserve(&views, sizeof(stk_bytes), err);
    for (size_t i = 0; i < count && !st; i++) {
        const stk_value *from = stk_element_value(batches[i], v);
        st = stk_blob_append(&views, stk_value_data(from),
                             (size_t)stk_value_elements(from) * sizeof(stk_bytes), err);
    }
    if (!st)
        st =
            stk_value_strings(out, ledger, shape, (const stk_bytes *)(const void *)views.data, err);
    stk_blob_release(&views);
    return st;
}

static stk_status join_value(stk_value *out, stk_element *const *batches, size_t count, size_t v,
                             const char *stage, stk_ledger *ledger, stk_error *err)
{
    int64_t rows;
    STK_TRY(check_join(batches, count, v, stage, &rows, err));
    const stk_value *first = stk_element_value(batches[0], v);
    stk_shape        shape = first->shape;
    shape.dim[0] = rows;
    if (first->dtype == STK_DTYPE_BYTES)
        return join_strings(out, batches, count, v, &shape, ledger, err);
    void *data;
    STK_TRY(stk_value_dense(out, ledger, first->dtype, &shape, &data, err));
    uint8_t *to = data;
    for (size_t i = 0; i < count; i++) {
        const stk_value *from = stk_element_value(batches[i], v);
        const size_t     bytes = (size_t)stk_value_elements(from) * stk_dtype_bytes(from->dtype);
        if (bytes) memcpy(to, stk_value_data(from), bytes);
        to += bytes;
    }
    return STK_OK;
}

stk_status stk_rows_join(stk_element **out, stk_element *const *batches, size_t count,
                         const char *stage, stk_ledger *ledger, stk_error *err)
{
    *out = NULL;
    const size_t values = stk_element_count(batches[0]);
    for (size_t i = 1; i < count; i++)
        if (stk_element_count(batches[i]) != values)
            return stk_fail(err, STK_E_INVALID, stage, NULL,
                            "one batch has %zu values, the next has %zu", values,
                            stk_element_count(batches[i]));
    if (count == 1) {
        for (size_t v = 0; v < values; v++) {
            int64_t rows;
            STK_TRY(check_join(batches, 1, v, stage, &rows, err));
        }
        *out = stk_element_ref(batches[0]);
        return STK_OK;
    }
    stk_element *joined;
    STK_TRY(stk_element_new(&joined, values, err));
    stk_element_set_origin(joined, stk_element_origin(batches[0]));
    stk_status st = STK_OK;
    for (size_t v = 0; v < values && !st; v++)
        st = join_value(stk_element_edit(joined, v), batches, count, v, stage, ledger, err);
    if (st) {
        stk_element_unref(joined);
        return st;
    }
    *out = joined;
    return STK_OK;
}

/* A row of a ragged value is dense; its spec's shape is that of the flat values. */
static stk_status row_spec(stk_value_spec *value, const char *stage, int64_t *rows, stk_error *err)
{
    *rows = -1;
    if (value->kind == STK_VALUE_SPARSE || value->kind == STK_VALUE_DATASET)
        return stk_fail(err, STK_E_INVALID, stage, value->name,
                        "the value is %s; only dense and ragged values have rows",
                        kinds[value->kind]);
    if (value->kind == STK_VALUE_RAGGED) {
        value->kind = STK_VALUE_DENSE;
        if (value->rank_known) value->shape.dim[0] = -1;
        return STK_OK;
    }
    if (!value->rank_known) return STK_OK;
    if (value->shape.rank == 0)
        return stk_fail(err, STK_E_INVALID, stage, value->name,
                        "the value is a scalar and has no rows; batch it before");
    *rows = value->shape.dim[0];
    value->shape.rank--;
    for (int d = 0; d < value->shape.rank; d++)
        value->shape.dim[d] = value->shape.dim[d + 1];
    return STK_OK;
}

stk_status stk_rows_spec(stk_element_spec *out, const stk_element_spec *spec, const char *stage,
                         int64_t *rows, stk_arena *arena, stk_error *err)
{
    *rows = -1;
    STK_TRY(stk_spec_copy(out, spec, arena, err));
    stk_value_spec *values = (stk_value_spec *)out->values;
    const char     *named = NULL;
    for (size_t i = 0; i < out->count; i++) {
        int64_t own;
        STK_TRY(row_spec(&values[i], stage, &own, err));
        if (own >= 0 && *rows >= 0 && own != *rows)
            return stk_fail(err, STK_E_INVALID, stage, values[i].name,
                            "value %s has %" PRId64 " rows, value %s has %" PRId64
                            "; all must have the same leading dimension",
                            named, *rows, values[i].name, own);
        if (own >= 0) {
            *rows = own;
            named = values[i].name;
        }
    }
    return STK_OK;
}
