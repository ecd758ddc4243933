/* Concatenates batches of dense and ragged values, and stacks values into ragged rows. */
#include "base/checked.h"
#include "pipeline/element/ragged.h"
#include "pipeline/support/batch_rows.h"

#include <inttypes.h>
#include <stoker/blob.h>

/* One value of several elements, each looked at as rows that are ragged in so many levels. */
typedef struct column {
    stk_element *const *elements;
    size_t              count;
    size_t              value;
    int                 levels; /* a dense value's dimensions after the first are such levels too */
    const char         *component;
    stk_ledger         *ledger;
} column;

static const stk_value *value_of(const column *c, size_t i)
{
    return stk_element_value(c->elements[i], c->value);
}

static bool is_ragged(const stk_value *value)
{
    return value->kind == STK_VALUE_RAGGED;
}

static stk_status check_kind(const column *c, size_t i, stk_error *err)
{
    static const char *const kinds[] = {"dense", "ragged", "sparse", "a dataset"};
    const stk_value         *value = value_of(c, i), *first = value_of(c, 0);
    char                     where[256], text[128];
    stk_element_where(c->elements[i], where, sizeof where);
    if ((value->kind != STK_VALUE_DENSE && !is_ragged(value)) || value->kind != first->kind)
        return stk_fail(err, STK_E_UNSUPPORTED, c->component, where,
                        "component %zu is %s, in the first %s; only dense values can be joined, or "
                        "only ragged ones",
                        c->value, kinds[value->kind], kinds[first->kind]);
    if (value->dtype != first->dtype)
        return stk_fail(err, STK_E_TYPE, c->component, where,
                        "component %zu is %s in one batch and %s in the next", c->value,
                        stk_dtype_name(first->dtype), stk_dtype_name(value->dtype));
    if (is_ragged(value) && value->levels != c->levels)
        return stk_fail(err, STK_E_INVALID, c->component, where,
                        "component %zu has %d ragged dimensions where there must be %d", c->value,
                        value->levels, c->levels);
    if (!is_ragged(value) && value->shape.rank == 0)
        return stk_fail(err, STK_E_INVALID, c->component, where,
                        "component %zu is a scalar in one element and not in another, or was "
                        "declared without its rank; ragged rows need a leading dimension",
                        c->value);
    if (!is_ragged(value) && value->shape.rank <= c->levels)
        return stk_fail(err, STK_E_INVALID, c->component, where,
                        "component %zu has shape %s, it was declared with %d "
                        "dimensions or more",
                        c->value, stk_shape_text(&value->shape, text, sizeof text), c->levels + 1);
    return STK_OK;
}

/* The flat values, as a dense value that shares all: not to be released. */
static stk_value flat_of(const column *c, size_t i)
{
    stk_value flat = *value_of(c, i);
    flat.levels = 0;
    flat.kind = STK_VALUE_DENSE;
    if (is_ragged(value_of(c, i))) return flat;
    for (int d = 0; d < c->levels; d++)
        flat.shape.dim[d + 1] *= flat.shape.dim[d];
    flat.shape.rank -= c->levels;
    memmove(flat.shape.dim, flat.shape.dim + c->levels,
            (size_t)flat.shape.rank * sizeof *flat.shape.dim);
    return flat;
}

/* That all values can be joined; *rows is the sum of their flat ones. */
static stk_status check_join(const column *c, int64_t *rows, stk_error *err)
{
    char where[256], a[128], b[128];
    *rows = 0;
    STK_TRY(check_kind(c, 0, err));
    const stk_value first = flat_of(c, 0);
    for (size_t i = 0; i < c->count; i++) {
        STK_TRY(check_kind(c, i, err));
        const stk_value other = flat_of(c, i);
        stk_element_where(c->elements[i], where, sizeof where);
        if (!stk_rows_same_shape(&first.shape, &other.shape))
            return stk_fail(err, STK_E_INVALID, c->component, where,
                            "cannot join rows of different shapes in component %zu: one batch has "
                            "shape %s, the next has shape %s",
                            c->value, stk_shape_text(&value_of(c, 0)->shape, a, sizeof a),
                            stk_shape_text(&value_of(c, i)->shape, b, sizeof b));
        if (stk_add_overflows_i64(*rows, other.shape.dim[0], rows))
            return stk_fail(err, STK_E_LIMIT, c->component, where, "the batch has too many rows");
    }
    return STK_OK;
}

static stk_status join_strings(stk_value *out, const column *c, const stk_shape *shape,
                               stk_error *err)
{
    stk_blob views;
    stk_blob_init(&views, c->ledger, STK_MEMORY_BATCH);
    stk_status st = stk_blob_reserve(&views, sizeof(stk_bytes), err);
    for (size_t i = 0; i < c->count && !st; i++) {
        const stk_value from = flat_of(c, i);
        st = stk_blob_append(&views, stk_value_data(&from),
                             (size_t)stk_value_elements(&from) * sizeof(stk_bytes), err);
    }
    if (!st)
        st = stk_value_strings(out, c->ledger, shape, (const stk_bytes *)(const void *)views.data,
                               err);
    stk_blob_release(&views);
    return st;
}

/* The flat values of all, one below the other. */
static stk_status join_flat(stk_value *out, const column *c, stk_error *err)
{
    int64_t rows;
    STK_TRY(check_join(c, &rows, err));
    const stk_value first = flat_of(c, 0);
    stk_shape       shape = first.shape;
    shape.dim[0] = rows;
    if (first.dtype == STK_DTYPE_BYTES) return join_strings(out, c, &shape, err);
    void *data;
    STK_TRY(stk_value_dense(out, c->ledger, first.dtype, &shape, &data, err));
    uint8_t *to = data;
    for (size_t i = 0; i < c->count; i++) {
        const stk_value from = flat_of(c, i);
        const size_t    bytes = (size_t)stk_value_elements(&from) * stk_dtype_bytes(from.dtype);
        if (bytes) memcpy(to, stk_value_data(&from), bytes);
        to += bytes;
    }
    return STK_OK;
}

static int64_t rows_of(const stk_value *value)
{
    return is_ragged(value) ? value->count : value->shape.dim[0];
}

/* Goes on with a row of length. That a sum of them overflows was ruled out by check_join: there are
 * as many flat values at least, or none. */
static stk_status add_split(stk_blob *splits, int64_t *end, int64_t length, stk_error *err)
{
    if (stk_add_overflows_i64(*end, length, end))
        return stk_fail(err, STK_E_LIMIT, "pipeline", NULL, "the batch has too many rows");
    return stk_blob_append(splits, end, sizeof *end, err);
}

static stk_status add_rows(stk_blob *splits, const stk_value *value, int level, int64_t *end,
                           stk_error *err)
{
    int64_t rows = value->shape.dim[0];
    if (is_ragged(value)) {
        const int64_t *from = stk_value_splits(value, level, &rows);
        for (int64_t i = 0; i < rows; i++)
            STK_TRY(add_split(splits, end, from[i + 1] - from[i], err));
        return STK_OK;
    }
    for (int d = 0; d < level; d++)
        rows *= value->shape.dim[d + 1];
    for (int64_t i = 0; i < rows; i++)
        STK_TRY(add_split(splits, end, value->shape.dim[level + 1], err));
    return STK_OK;
}

/* Level after level, of all values. With stacked a level before them has a row for each value. */
static stk_status find_splits(stk_blob *splits, const column *c, bool stacked, stk_error *err)
{
    for (int level = stacked ? -1 : 0; level < c->levels; level++) {
        int64_t end = 0;
        STK_TRY(stk_blob_append(splits, &end, sizeof end, err));
        for (size_t i = 0; i < c->count; i++)
            STK_TRY(level < 0 ? add_split(splits, &end, rows_of(value_of(c, i)), err)
                              : add_rows(splits, value_of(c, i), level, &end, err));
    }
    return STK_OK;
}

static stk_status join_ragged(stk_value *out, const column *c, bool stacked, stk_error *err)
{
    stk_value flat = {0};
    stk_blob  splits;
    stk_blob_init(&splits, c->ledger, STK_MEMORY_BATCH);
    stk_status st = join_flat(&flat, c, err);
    int64_t    rows = stacked ? (int64_t)c->count : 0;
    for (size_t i = 0; i < c->count && !st && !stacked; i++)
        if (stk_add_overflows_i64(rows, rows_of(value_of(c, i)), &rows))
            st = stk_fail(err, STK_E_LIMIT, c->component, NULL, "the batch has too many rows");
    if (!st) st = find_splits(&splits, c, stacked, err);
    if (!st)
        st = stk_value_ragged(out, c->ledger, &flat, (const int64_t *)(const void *)splits.data,
                              splits.size / sizeof(int64_t), rows, c->levels + stacked, err);
    stk_value_release(&flat);
    stk_blob_release(&splits);
    return st;
}

stk_status stk_rows_stack(stk_value *out, stk_element *const *elements, size_t count, size_t v,
                          int levels, const char *component, stk_ledger *ledger, stk_error *err)
{
    const column c = {elements, count, v, levels - 1, component, ledger};
    return join_ragged(out, &c, true, err);
}

static column column_of(stk_element *const *batches, size_t count, size_t v, const char *component,
                        stk_ledger *ledger)
{
    const stk_value *first = stk_element_value(batches[0], v);
    return (column){batches, count, v, is_ragged(first) ? first->levels : 0, component, ledger};
}

stk_status stk_rows_join(stk_element **out, stk_element *const *batches, size_t count,
                         const char *component, stk_ledger *ledger, stk_error *err)
{
    *out = NULL;
    const size_t values = stk_element_count(batches[0]);
    for (size_t i = 1; i < count; i++)
        if (stk_element_count(batches[i]) != values)
            return stk_fail(err, STK_E_INVALID, component, NULL,
                            "one batch has %zu values, the next has %zu", values,
                            stk_element_count(batches[i]));
    if (count == 1) {
        *out = stk_element_ref(batches[0]);
        return STK_OK;
    }
    stk_element *joined;
    STK_TRY(stk_element_new(&joined, values, err));
    stk_element_set_origin(joined, stk_element_origin(batches[0]));
    stk_status st = STK_OK;
    for (size_t v = 0; v < values && !st; v++) {
        const column c = column_of(batches, count, v, component, ledger);
        st = c.levels ? join_ragged(stk_element_edit(joined, v), &c, false, err)
                      : join_flat(stk_element_edit(joined, v), &c, err);
    }
    if (st) {
        stk_element_unref(joined);
        return st;
    }
    *out = joined;
    return STK_OK;
}
