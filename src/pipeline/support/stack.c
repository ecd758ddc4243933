/* Stacks elements: one block of memory per value, rows copied into it. */
#include "pipeline/support/stack.h"

#include "base/checked.h"

#include <stdlib.h>
#include <stoker/blob.h>

static stk_status refuse_shapes(const stk_value *first, const stk_value *other, size_t value,
                                const stk_element *element, size_t index, stk_error *err)
{
    char a[128], b[128], where[256];
    return stk_fail(err, STK_E_INVALID, "batch", stk_element_where(element, where, sizeof where),
                    "cannot batch values of different shapes in component %zu: the first element "
                    "has shape %s, element %zu has shape %s; use padded_batch or ragged_batch",
                    value, stk_shape_text(&first->shape, a, sizeof a), index,
                    stk_shape_text(&other->shape, b, sizeof b));
}

static stk_status check_value(stk_element *const *elements, size_t count, size_t value,
                              stk_error *err)
{
    static const char *const kinds[] = {"dense", "ragged", "sparse", "dataset"};
    const stk_value         *first = stk_element_value(elements[0], value);
    char                     where[256];
    if (first->kind != STK_VALUE_DENSE)
        return stk_fail(
            err, STK_E_UNSUPPORTED, "batch", stk_element_where(elements[0], where, sizeof where),
            "component %zu is %s; only dense values can be batched", value, kinds[first->kind]);
    if (first->shape.rank == STK_MAX_RANK)
        return stk_fail(
            err, STK_E_SHAPE, "batch", stk_element_where(elements[0], where, sizeof where),
            "component %zu has rank %d already, the most there is", value, STK_MAX_RANK);
    for (size_t i = 1; i < count; i++) {
        const stk_value *other = stk_element_value(elements[i], value);
        if (other->kind != first->kind || other->dtype != first->dtype)
            return stk_fail(err, STK_E_TYPE, "batch",
                            stk_element_where(elements[i], where, sizeof where),
                            "component %zu is %s %s in the first element and %s %s in element %zu",
                            value, kinds[first->kind], stk_dtype_name(first->dtype),
                            kinds[other->kind], stk_dtype_name(other->dtype), i);
        if (!stk_shape_equal(&first->shape, &other->shape))
            return refuse_shapes(first, other, value, elements[i], i, err);
    }
    return STK_OK;
}

static stk_shape with_leading(const stk_shape *shape, int64_t leading)
{
    stk_shape out = {.rank = shape->rank + 1, .dim = {leading}};
    for (int i = 0; i < shape->rank; i++)
        out.dim[i + 1] = shape->dim[i];
    return out;
}

static stk_status gather_strings(stk_value *out, stk_element *const *elements, size_t count,
                                 size_t value, const stk_shape *shape, stk_ledger *ledger,
                                 stk_error *err)
{
    const size_t each = (size_t)stk_value_elements(stk_element_value(elements[0], value));
    stk_blob     views;
    stk_blob_init(&views, ledger, STK_MEMORY_BATCH);
    stk_status st = STK_OK;
    for (size_t i = 0; i < count && !st; i++)
        st = stk_blob_append(&views, stk_value_data(stk_element_value(elements[i], value)),
                             each * sizeof(stk_bytes), err);
    static const stk_bytes none = {0};
    if (!st)
        st = stk_value_strings(out, ledger, shape,
                               views.data ? (const stk_bytes *)(const void *)views.data : &none,
                               err);
    stk_blob_release(&views);
    return st;
}

static stk_status make_dense(stk_value *to, const stk_batch_memory *memory, stk_dtype dtype,
                             const stk_shape *shape, stk_error *err)
{
    int64_t count;
    size_t  bytes;
    void   *data;
    STK_TRY(stk_shape_count(shape, &count, err));
    if (!memory->kind || stk_mul_overflows((size_t)count, stk_dtype_bytes(dtype), &bytes) || !bytes)
        return stk_value_dense(to, memory->ledger, dtype, shape, &data, err);
    stk_value made = {.dtype = dtype, .shape = *shape};
    STK_TRY(stk_buffer_new_with(&made.storage, memory->kind, memory->ledger, STK_MEMORY_BATCH,
                                bytes, err));
    made.data = stk_buffer_data(made.storage);
    *to = made;
    return STK_OK;
}

/* Rows like those, and no more of them. */
static bool has_rows(const stk_shape *there, const stk_shape *wanted)
{
    if (there->rank != wanted->rank || there->dim[0] < wanted->dim[0]) return false;
    for (int i = 1; i < there->rank; i++)
        if (there->dim[i] != wanted->dim[i]) return false;
    return true;
}

/* Reuses prepared's storage if it fits; a last batch may have fewer rows. */
static bool go_on(stk_value *to, const stk_element *prepared, size_t value, stk_dtype dtype,
                  const stk_shape *shape)
{
    if (!prepared || value >= stk_element_count(prepared)) return false;
    const stk_value *there = stk_element_value(prepared, value);
    if (!there->storage || there->dtype != dtype || !has_rows(&there->shape, shape)) return false;
    *to = stk_value_ref(there);
    to->shape = *shape;
    return true;
}

stk_status stk_stack_prepare(stk_element **out, stk_element *const *elements, size_t count,
                             const stk_element *prepared, const stk_batch_memory *memory,
                             stk_error *err)
{
    *out = NULL;
    const size_t values = stk_element_count(elements[0]);
    for (size_t i = 1; i < count; i++)
        if (stk_element_count(elements[i]) != values)
            return stk_fail(err, STK_E_INVALID, "batch", NULL,
                            "the first element has %zu values, element %zu has %zu", values, i,
                            stk_element_count(elements[i]));
    for (size_t v = 0; v < values; v++)
        STK_TRY(check_value(elements, count, v, err));
    stk_element *batch;
    STK_TRY(stk_element_new(&batch, values, err));
    stk_element_set_origin(batch, stk_element_origin(elements[0]));
    stk_status st = STK_OK;
    for (size_t v = 0; v < values && !st; v++) {
        const stk_value *first = stk_element_value(elements[0], v);
        const stk_shape  shape = with_leading(&first->shape, (int64_t)count);
        stk_value       *to = stk_element_edit(batch, v);
        if (go_on(to, prepared, v, first->dtype, &shape)) continue;
        st = first->dtype == STK_DTYPE_BYTES
                 ? gather_strings(to, elements, count, v, &shape, memory->ledger, err)
                 : make_dense(to, memory, first->dtype, &shape, err);
    }
    if (st) {
        stk_element_unref(batch);
        return st;
    }
    *out = batch;
    return STK_OK;
}

/* Most values besides images are scalars: a fixed size lets the compiler inline the copy. */
static void copy_rows(uint8_t *to, stk_element *const *elements, size_t value, size_t bytes,
                      size_t count)
{
    if (bytes == 8) {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * 8, stk_value_data(stk_element_value(elements[i], value)), 8);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const void *from = stk_value_data(stk_element_value(elements[i], value));
        if (from != to + i * bytes) memcpy(to + i * bytes, from, bytes);
    }
}

void stk_stack_copy(stk_element *batch, stk_element *const *elements, size_t first, size_t count)
{
    for (size_t v = 0; v < stk_element_count(batch); v++) {
        stk_value *to = stk_element_edit(batch, v);
        if (to->dtype == STK_DTYPE_BYTES) continue;
        const stk_value *from = stk_element_value(elements[0], v);
        const size_t     bytes = (size_t)stk_value_elements(from) * stk_dtype_bytes(from->dtype);
        uint8_t         *data = to->storage ? stk_buffer_data(to->storage) : to->small.bytes;
        if (bytes) copy_rows(data + first * bytes, elements + first, v, bytes, count);
    }
}

stk_status stk_stack(stk_element **out, stk_element *const *elements, size_t count,
                     const stk_batch_memory *memory, stk_error *err)
{
    STK_TRY(stk_stack_prepare(out, elements, count, NULL, memory, err));
    stk_stack_copy(*out, elements, 0, count);
    return STK_OK;
}
