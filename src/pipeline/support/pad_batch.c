/* Padding: every byte of the batch is written once, by a copy or by a fill. */
#include "pipeline/support/pad_batch.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stoker/blob.h>

typedef struct padding {
    const stk_shape *to, *from;
    size_t           item_bytes;
    const void      *fill;
    size_t           to_bytes[STK_MAX_RANK + 1]; /* of one step of dimension d - 1 */
    size_t           from_bytes[STK_MAX_RANK + 1];
    int              same_below; /* from this dimension on both shapes are the same */
} padding;

/* Doubling copies: long runs go at the speed of memcpy whatever the item. */
static void fill_with(uint8_t *dst, size_t bytes, const void *fill, size_t item_bytes)
{
    if (!bytes) return;
    memcpy(dst, fill, item_bytes);
    for (size_t done = item_bytes; done < bytes;) {
        const size_t more = done < bytes - done ? done : bytes - done;
        memcpy(dst + done, dst, more);
        done += more;
    }
}

static void copy_dimension(const padding *p, int d, uint8_t *dst, const uint8_t *src)
{
    if (d >= p->same_below) {
        if (p->from_bytes[d]) memcpy(dst, src, p->from_bytes[d]);
        return;
    }
    const size_t to_step = p->to_bytes[d + 1], from_step = p->from_bytes[d + 1];
    const size_t rows = (size_t)p->from->dim[d];
    if (d + 1 >= p->same_below) { /* the rows follow each other in both */
        if (rows && from_step) memcpy(dst, src, rows * from_step);
    } else {
        for (size_t i = 0; i < rows; i++)
            copy_dimension(p, d + 1, dst + i * to_step, src + i * from_step);
    }
    fill_with(dst + rows * to_step, p->to_bytes[d] - rows * to_step, p->fill, p->item_bytes);
}

void stk_pad_copy(void *dst, const stk_shape *to, const void *src, const stk_shape *from,
                  size_t item_bytes, const void *fill)
{
    const int rank = to->rank;
    padding   p = {.to = to, .from = from, .item_bytes = item_bytes, .fill = fill};
    p.to_bytes[rank] = p.from_bytes[rank] = item_bytes;
    p.same_below = rank;
    for (int d = rank - 1; d >= 0; d--) {
        p.to_bytes[d] = p.to_bytes[d + 1] * (size_t)to->dim[d];
        p.from_bytes[d] = p.from_bytes[d + 1] * (size_t)from->dim[d];
        if (to->dim[d] == from->dim[d] && p.same_below == d + 1) p.same_below = d;
    }
    if (p.to_bytes[0]) copy_dimension(&p, 0, dst, src);
}

static stk_status check_type(const stk_value *first, const stk_element *element, size_t index,
                             size_t v, const char *component, stk_error *err)
{
    static const char *const kinds[] = {"dense", "ragged", "sparse", "dataset"};
    const stk_value         *value = stk_element_value(element, v);
    char                     where[256];
    if (value->kind != STK_VALUE_DENSE)
        return stk_fail(err, STK_E_TYPE, component, stk_element_where(element, where, sizeof where),
                        "component %zu is %s; only dense values can be padded", v,
                        kinds[value->kind]);
    if (value->dtype != first->dtype)
        return stk_fail(err, STK_E_TYPE, component, stk_element_where(element, where, sizeof where),
                        "component %zu is %s in the first element and %s in element %zu", v,
                        stk_dtype_name(first->dtype), stk_dtype_name(value->dtype), index);
    return STK_OK;
}

/* shape := the larger of both where it may grow (fixed has -1), else the value must fit in. */
static stk_status widen(stk_shape *shape, const stk_shape *fixed, const stk_element *element,
                        size_t index, size_t v, const char *component, stk_error *err)
{
    const stk_value *value = stk_element_value(element, v);
    char             where[256], a[128], b[128];
    if (value->shape.rank != shape->rank)
        return stk_fail(err, STK_E_INVALID, component,
                        stk_element_where(element, where, sizeof where),
                        "all elements must have the rank of the padded shape in component %zu: "
                        "element %zu has shape %s, the padded shape is %s",
                        v, index, stk_shape_text(&value->shape, a, sizeof a),
                        stk_shape_text(fixed, b, sizeof b));
    for (int d = 0; d < shape->rank; d++) {
        if (value->shape.dim[d] <= shape->dim[d]) continue;
        if (fixed->dim[d] >= 0)
            return stk_fail(err, STK_E_DATALOSS, component,
                            stk_element_where(element, where, sizeof where),
                            "component %zu of element %zu has shape %s, larger than the padded "
                            "shape %s; give a larger shape or -1 for the longest in the batch",
                            v, index, stk_shape_text(&value->shape, a, sizeof a),
                            stk_shape_text(fixed, b, sizeof b));
        shape->dim[d] = value->shape.dim[d];
    }
    return STK_OK;
}

/* The shape that all elements are padded to in value v. */
static stk_status find_shape(stk_element *const *elements, size_t count, size_t v,
                             const stk_pad_to *pad, const char *component, stk_shape *shape,
                             stk_error *err)
{
    const stk_value *first = stk_element_value(elements[0], v);
    stk_shape        fixed = {.rank = first->shape.rank};
    for (int d = 0; d < fixed.rank; d++)
        fixed.dim[d] = -1;
    if (pad->shapes) fixed = pad->shapes[v];
    *shape = fixed;
    for (int d = 0; d < shape->rank; d++)
        if (shape->dim[d] < 0) shape->dim[d] = 0;
    for (size_t i = 0; i < count; i++) {
        STK_TRY(check_type(first, elements[i], i, v, component, err));
        STK_TRY(widen(shape, &fixed, elements[i], i, v, component, err));
    }
    return STK_OK;
}

/* The batch's shape, found to be possible. */
static stk_status with_rows(const stk_shape *each, size_t rows, size_t v, const char *component,
                            stk_shape *out, stk_error *err)
{
    if (each->rank == STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, component, NULL,
                        "component %zu has rank %d already, the most there is", v, STK_MAX_RANK);
    *out = (stk_shape){.rank = each->rank + 1, .dim = {(int64_t)rows}};
    for (int d = 0; d < each->rank; d++)
        out->dim[d + 1] = each->dim[d];
    int64_t items;
    return stk_shape_count(out, &items, err);
}

static void copy_all(uint8_t *dst, stk_element *const *elements, size_t count, size_t v,
                     const stk_shape *each, size_t item_bytes, const void *fill)
{
    size_t row_bytes = item_bytes;
    for (int d = 0; d < each->rank; d++)
        row_bytes *= (size_t)each->dim[d];
    for (size_t i = 0; i < count; i++) {
        const stk_value *value = stk_element_value(elements[i], v);
        stk_pad_copy(dst + i * row_bytes, each, stk_value_data(value), &value->shape, item_bytes,
                     fill);
    }
}

/* Views are padded like numbers, then the strings are copied into one buffer. */
static stk_status pad_strings(stk_value *out, stk_element *const *elements, size_t count, size_t v,
                              const stk_shape *each, const stk_shape *shape, const void *fill,
                              stk_ledger *ledger, stk_error *err)
{
    stk_blob views;
    int64_t  items;
    size_t   bytes;
    STK_TRY(stk_shape_count(shape, &items, err));
    if (stk_mul_overflows((size_t)items + 1, sizeof(stk_bytes), &bytes))
        return stk_fail(err, STK_E_LIMIT, "pipeline", NULL, "the byte strings are too large");
    stk_blob_init(&views, ledger, STK_MEMORY_BATCH);
    stk_status st = stk_blob_reserve_exact(&views, bytes, err);
    if (!st) {
        copy_all(views.data, elements, count, v, each, sizeof(stk_bytes), fill);
        st =
            stk_value_strings(out, ledger, shape, (const stk_bytes *)(const void *)views.data, err);
    }
    stk_blob_release(&views);
    return st;
}

static stk_status pad_value(stk_value *out, stk_element *const *elements, size_t count, size_t v,
                            const stk_pad_to *pad, const char *component, stk_ledger *ledger,
                            stk_error *err)
{
    const stk_value *first = stk_element_value(elements[0], v);
    const bool       given = pad->values && pad->values[v].dtype;
    const stk_bytes  empty = stk_bytes_of("", 0);
    const uint8_t    zero[sizeof(stk_bytes)] = {0};
    stk_shape        each, shape;
    void            *data;
    STK_TRY(find_shape(elements, count, v, pad, component, &each, err));
    STK_TRY(with_rows(&each, count, v, component, &shape, err));
    if (given && pad->values[v].dtype != first->dtype)
        return stk_fail(err, STK_E_TYPE, component, NULL,
                        "component %zu is %s, its padding is %s; give padding of its type", v,
                        stk_dtype_name(first->dtype), stk_dtype_name(pad->values[v].dtype));
    const bool  text = first->dtype == STK_DTYPE_BYTES;
    const void *fill = given ? stk_value_data(&pad->values[v]) : text ? (const void *)&empty : zero;
    if (text) return pad_strings(out, elements, count, v, &each, &shape, fill, ledger, err);
    STK_TRY(stk_value_dense(out, ledger, first->dtype, &shape, &data, err));
    copy_all(data, elements, count, v, &each, stk_dtype_bytes(first->dtype), fill);
    return STK_OK;
}

stk_status stk_pad_assemble(stk_element **out, stk_element *const *elements, size_t count,
                            const stk_pad_to *pad, const char *component, stk_ledger *ledger,
                            stk_error *err)
{
    *out = NULL;
    const size_t values = stk_element_count(elements[0]);
    for (size_t i = 0; i < count; i++)
        if (stk_element_count(elements[i]) != values)
            return stk_fail(err, STK_E_INVALID, component, NULL,
                            "the first element has %zu values, element %zu has %zu", values, i,
                            stk_element_count(elements[i]));
    if ((pad->shapes || pad->values) && pad->count != values)
        return stk_fail(err, STK_E_INVALID, component, NULL,
                        "shapes or padding were given for %zu values; elements have %zu",
                        pad->count, values);
    stk_element *batch;
    STK_TRY(stk_element_new(&batch, values, err));
    stk_element_set_origin(batch, stk_element_origin(elements[0]));
    stk_status st = STK_OK;
    for (size_t v = 0; v < values && !st; v++)
        st = pad_value(stk_element_edit(batch, v), elements, count, v, pad, component, ledger, err);
    if (st) {
        stk_element_unref(batch);
        return st;
    }
    *out = batch;
    return STK_OK;
}
