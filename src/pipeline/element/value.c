/* Values: small ones in the struct, large ones in shared storage. */
#include "base/checked.h"
#include "pipeline/element/ragged.h"
#include "tensor/half.h"

#include <stoker/element.h>

static void scalar(stk_value *value, stk_dtype dtype)
{
    *value = (stk_value){.kind = STK_VALUE_DENSE, .dtype = dtype};
}

void stk_value_u8(stk_value *value, uint8_t number)
{
    scalar(value, STK_DTYPE_U8);
    value->small.bytes[0] = number;
}

void stk_value_i8(stk_value *value, int8_t number)
{
    scalar(value, STK_DTYPE_I8);
    memcpy(value->small.bytes, &number, sizeof number);
}

void stk_value_i32(stk_value *value, int32_t number)
{
    scalar(value, STK_DTYPE_I32);
    memcpy(value->small.bytes, &number, sizeof number);
}

static void half(stk_value *value, stk_dtype dtype, uint16_t bits)
{
    scalar(value, dtype);
    memcpy(value->small.bytes, &bits, sizeof bits);
}

void stk_value_f16(stk_value *value, float number)
{
    half(value, STK_DTYPE_F16, stk_f16_from_float(number));
}

void stk_value_bf16(stk_value *value, float number)
{
    half(value, STK_DTYPE_BF16, stk_bf16_from_float(number));
}

void stk_value_i64(stk_value *value, int64_t number)
{
    scalar(value, STK_DTYPE_I64);
    value->small.i64 = number;
}

void stk_value_f32(stk_value *value, float number)
{
    scalar(value, STK_DTYPE_F32);
    value->small.f32 = number;
}

void stk_value_f64(stk_value *value, double number)
{
    scalar(value, STK_DTYPE_F64);
    value->small.f64 = number;
}

void stk_value_bool(stk_value *value, bool truth)
{
    scalar(value, STK_DTYPE_BOOL);
    value->small.bytes[0] = truth;
}

void stk_value_view(stk_value *value, stk_bytes bytes, stk_buffer *storage)
{
    scalar(value, STK_DTYPE_BYTES);
    value->small.view = bytes;
    value->storage = storage ? stk_buffer_ref(storage) : NULL;
}

stk_status stk_value_bytes(stk_value *value, stk_ledger *ledger, stk_bytes bytes, stk_error *err)
{
    if (bytes.size == 0) {
        stk_value_view(value, stk_bytes_of("", 0), NULL);
        return STK_OK;
    }
    *value = (stk_value){0};
    stk_buffer *storage;
    STK_TRY(stk_buffer_new(&storage, ledger, STK_MEMORY_RECORD, bytes.size, err));
    memcpy(stk_buffer_data(storage), bytes.data, bytes.size);
    scalar(value, STK_DTYPE_BYTES);
    value->small.view = stk_bytes_of(stk_buffer_data(storage), bytes.size);
    value->storage = storage;
    return STK_OK;
}

stk_status stk_value_dense(stk_value *value, stk_ledger *ledger, stk_dtype dtype,
                           const stk_shape *shape, void **data, stk_error *err)
{
    *value = (stk_value){0};
    *data = NULL;
    int64_t count;
    size_t  bytes;
    STK_TRY(stk_shape_count(shape, &count, err));
    if (stk_mul_overflows((size_t)count, stk_dtype_bytes(dtype), &bytes)) {
        char text[128];
        return stk_fail(err, STK_E_LIMIT, "pipeline", NULL, "a value of shape %s is too large",
                        stk_shape_text(shape, text, sizeof text));
    }
    stk_value made = {.kind = STK_VALUE_DENSE, .dtype = dtype, .shape = *shape};
    if (bytes > STK_VALUE_SMALL) {
        STK_TRY(stk_buffer_new(&made.storage, ledger, STK_MEMORY_RECORD, bytes, err));
        made.data = stk_buffer_data(made.storage);
    }
    *value = made;
    *data = value->storage ? stk_buffer_data(value->storage) : value->small.bytes;
    return STK_OK;
}

stk_status stk_value_strings(stk_value *value, stk_ledger *ledger, const stk_shape *shape,
                             const stk_bytes *strings, stk_error *err)
{
    *value = (stk_value){0};
    int64_t count;
    size_t  total;
    STK_TRY(stk_shape_count(shape, &count, err));
    bool wide = stk_mul_overflows((size_t)count, sizeof(stk_bytes), &total);
    for (int64_t i = 0; i < count && !wide; i++)
        wide = stk_add_overflows(total, strings[i].size, &total);
    if (wide) return stk_fail(err, STK_E_LIMIT, "pipeline", NULL, "the byte strings are too large");
    if (shape->rank == 0) return stk_value_bytes(value, ledger, strings[0], err);
    stk_buffer *storage;
    STK_TRY(stk_buffer_new(&storage, ledger, STK_MEMORY_RECORD, total, err));
    stk_bytes *views = (stk_bytes *)(void *)stk_buffer_data(storage);
    uint8_t   *text = stk_buffer_data(storage) + (size_t)count * sizeof *views;
    for (int64_t i = 0; i < count; i++) {
        if (strings[i].size) memcpy(text, strings[i].data, strings[i].size);
        views[i] = stk_bytes_of(text, strings[i].size);
        text += strings[i].size;
    }
    *value = (stk_value){.kind = STK_VALUE_DENSE,
                         .dtype = STK_DTYPE_BYTES,
                         .shape = *shape,
                         .data = views,
                         .storage = storage};
    return STK_OK;
}

void stk_value_dataset(stk_value *value, stk_dataset *dataset)
{
    *value = (stk_value){.kind = STK_VALUE_DATASET};
    value->small.dataset = stk_dataset_ref(dataset);
}

stk_value stk_value_ref(const stk_value *value)
{
    if (value->storage) stk_buffer_ref(value->storage);
    if (value->kind == STK_VALUE_DATASET) stk_dataset_ref(value->small.dataset);
    return *value;
}

void stk_value_release(stk_value *value)
{
    stk_buffer_unref(value->storage);
    if (value->kind == STK_VALUE_DATASET) stk_dataset_unref(value->small.dataset);
    *value = (stk_value){0};
}

int64_t stk_value_elements(const stk_value *value)
{
    int64_t count = 1;
    for (int i = 0; i < value->shape.rank; i++)
        count *= value->shape.dim[i];
    return count;
}

stk_value stk_value_row(const stk_value *value, int64_t index)
{
    stk_value row = {.kind = STK_VALUE_DENSE, .dtype = value->dtype};
    row.shape.rank = value->shape.rank - 1;
    for (int i = 0; i < row.shape.rank; i++)
        row.shape.dim[i] = value->shape.dim[i + 1];
    const size_t   bytes = (size_t)stk_value_elements(&row) * stk_dtype_bytes(value->dtype);
    const uint8_t *from = (const uint8_t *)stk_value_data(value) + (size_t)index * bytes;
    const bool     text = value->dtype == STK_DTYPE_BYTES;
    if (bytes <= STK_VALUE_SMALL) {
        memcpy(row.small.bytes, from, bytes);
    } else {
        row.data = from;
    }
    /* A byte string of rank 0 sits in the value but points into the storage. */
    if (value->storage && (row.data || text)) row.storage = stk_buffer_ref(value->storage);
    return row;
}

static bool equal_data(const stk_value *a, const stk_value *b, int64_t count)
{
    if (a->dtype != STK_DTYPE_BYTES)
        return memcmp(stk_value_data(a), stk_value_data(b),
                      (size_t)count * stk_dtype_bytes(a->dtype)) == 0;
    const stk_bytes *x = stk_value_data(a), *y = stk_value_data(b);
    for (int64_t i = 0; i < count; i++)
        if (!stk_bytes_equal(x[i], y[i])) return false;
    return true;
}

bool stk_value_equal(const stk_value *a, const stk_value *b)
{
    if (a->kind != b->kind || a->dtype != b->dtype || a->count != b->count) return false;
    if (a->kind == STK_VALUE_DATASET) return a->small.dataset == b->small.dataset;
    if (!stk_shape_equal(&a->shape, &b->shape)) return false;
    if (a->kind == STK_VALUE_DENSE) return equal_data(a, b, stk_value_elements(a));
    const size_t numbers = stk_value_index_count(a);
    if (a->levels != b->levels || numbers != stk_value_index_count(b)) return false;
    return memcmp(a->splits_or_indices, b->splits_or_indices,
                  numbers * sizeof *a->splits_or_indices) == 0 &&
           equal_data(a, b, a->kind == STK_VALUE_RAGGED ? stk_value_elements(a) : a->count);
}
