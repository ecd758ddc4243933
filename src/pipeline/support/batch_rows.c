/* Rows of dense and ragged values. */
#include "pipeline/support/batch_rows.h"

#include "base/checked.h"
#include "pipeline/element/ragged.h"
#include "pipeline/element/spec.h"

#include <inttypes.h>
#include <stoker/blob.h>

static const char *const kinds[] = {"dense", "ragged", "sparse", "dataset"};

static stk_status rows_of(const stk_value *value, size_t index, const stk_element *element,
                          const char *component, int64_t *rows, stk_error *err)
{
    char where[256];
    if (value->kind == STK_VALUE_SPARSE || value->kind == STK_VALUE_DATASET)
        return stk_fail(err, STK_E_INVALID, component,
                        stk_element_where(element, where, sizeof where),
                        "component %zu is %s; only dense and ragged values have rows", index,
                        kinds[value->kind]);
    if (value->shape.rank == 0)
        return stk_fail(err, STK_E_INVALID, component,
                        stk_element_where(element, where, sizeof where),
                        "component %zu is a scalar and has no rows; batch it before", index);
    *rows = value->kind == STK_VALUE_RAGGED ? value->count : value->shape.dim[0];
    return STK_OK;
}

stk_status stk_rows_count(const stk_element *element, const char *component, int64_t *rows,
                          stk_error *err)
{
    char where[256];
    if (stk_element_count(element) == 0)
        return stk_fail(err, STK_E_INVALID, component,
                        stk_element_where(element, where, sizeof where),
                        "the element has no values, so it has no rows");
    STK_TRY(rows_of(stk_element_value(element, 0), 0, element, component, rows, err));
    for (size_t i = 1; i < stk_element_count(element); i++) {
        int64_t other = 0;
        STK_TRY(rows_of(stk_element_value(element, i), i, element, component, &other, err));
        if (other != *rows)
            return stk_fail(err, STK_E_INVALID, component,
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

/* Rows [first, first + count) of a level of a ragged value as one without the levels above. Splits
 * begin at 0 again, so they are copied. */
static stk_status ragged_slice(stk_value *out, const stk_value *value, int level, int64_t first,
                               int64_t count, stk_ledger *ledger, stk_error *err)
{
    const int64_t rows = count;
    const int     levels = value->levels - level;
    stk_blob      splits;
    stk_status    st = STK_OK;
    stk_blob_init(&splits, ledger, STK_MEMORY_BATCH);
    for (; level < value->levels && !st; level++) {
        int64_t        all;
        const int64_t *from = stk_value_splits(value, level, &all) + first;
        for (int64_t i = 0; i <= count && !st; i++) {
            const int64_t split = from[i] - from[0];
            st = stk_blob_append(&splits, &split, sizeof split, err);
        }
        first = from[0];
        count = from[count] - from[0];
    }
    stk_value flat = dense_slice(value, first, count);
    if (!st)
        st = stk_value_ragged(out, ledger, &flat, (const int64_t *)(const void *)splits.data,
                              splits.size / sizeof(int64_t), rows, levels, err);
    stk_value_release(&flat);
    stk_blob_release(&splits);
    return st;
}

/* A row of a ragged value's last level is dense. */
static stk_status ragged_row(stk_value *out, const stk_value *value, int64_t index,
                             stk_ledger *ledger, stk_error *err)
{
    const int64_t first = value->splits_or_indices[index],
                  count = value->splits_or_indices[index + 1] - first;
    if (value->levels > 1) return ragged_slice(out, value, 1, first, count, ledger, err);
    *out = dense_slice(value, first, count);
    return STK_OK;
}

stk_status stk_rows_take(stk_element **out, const stk_element *element, int64_t index,
                         stk_ledger *ledger, stk_error *err)
{
    stk_status st = STK_OK;
    STK_TRY(stk_element_new(out, stk_element_count(element), err));
    stk_element_set_origin(*out, stk_element_origin(element));
    for (size_t i = 0; i < stk_element_count(element) && !st; i++) {
        const stk_value *value = stk_element_value(element, i);
        stk_value       *to = stk_element_edit(*out, i);
        if (value->kind == STK_VALUE_RAGGED)
            st = ragged_row(to, value, index, ledger, err);
        else
            *to = stk_value_row(value, index);
    }
    if (st) {
        stk_element_unref(*out);
        *out = NULL;
    }
    return st;
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
            st = ragged_slice(to, value, 0, first, count, ledger, err);
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

bool stk_rows_alike(const stk_element *a, const stk_element *b)
{
    if (stk_element_count(a) != stk_element_count(b)) return false;
    for (size_t i = 0; i < stk_element_count(a); i++) {
        const stk_value *x = stk_element_value(a, i), *y = stk_element_value(b, i);
        if (x->kind != y->kind || x->dtype != y->dtype || x->levels != y->levels ||
            !stk_rows_same_shape(&x->shape, &y->shape))
            return false;
    }
    return true;
}

bool stk_rows_same_shape(const stk_shape *a, const stk_shape *b)
{
    stk_shape x = *a, y = *b;
    x.dim[0] = y.dim[0] = 0;
    return stk_shape_equal(&x, &y);
}
