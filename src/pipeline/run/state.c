/* Numbers as varints, strings with their length, elements value by value. */
#include "pipeline/run/state.h"

#include "base/checked.h"
#include "pipeline/element/places.h"
#include "pipeline/run/elements.h"

enum { MOST_VARINT = 10 };

stk_status stk_state_damaged(const stk_state_in *in, const char *what, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, in->stage, NULL,
                    "the checkpoint is damaged (%s); go back to an older one", what);
}

stk_status stk_state_put_u64(stk_state_out *out, uint64_t number, stk_error *err)
{
    uint8_t bytes[MOST_VARINT];
    size_t  size = 0;
    while (number >= 128) {
        bytes[size++] = (uint8_t)(number | 128);
        number >>= 7;
    }
    bytes[size++] = (uint8_t)number;
    return stk_blob_append(out->blob, bytes, size, err);
}

/* Zigzag: small negative numbers stay short. */
stk_status stk_state_put_i64(stk_state_out *out, int64_t number, stk_error *err)
{
    return stk_state_put_u64(out, ((uint64_t)number << 1) ^ (uint64_t)(number >> 63), err);
}

stk_status stk_state_put_bytes(stk_state_out *out, stk_bytes bytes, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, bytes.size, err));
    return bytes.size ? stk_blob_append(out->blob, bytes.data, bytes.size, err) : STK_OK;
}

stk_status stk_state_get_u64(stk_state_in *in, uint64_t *number, stk_error *err)
{
    *number = 0;
    for (size_t i = 0; i < in->left.size && i < MOST_VARINT; i++) {
        const uint8_t byte = in->left.data[i];
        if (i == MOST_VARINT - 1 && byte > 1) break;
        *number |= (uint64_t)(byte & 127) << (7 * i);
        if (byte < 128) {
            in->left = stk_bytes_of(in->left.data + i + 1, in->left.size - i - 1);
            return STK_OK;
        }
    }
    return stk_state_damaged(in, "a number ends too soon or is too long", err);
}

stk_status stk_state_get_i64(stk_state_in *in, int64_t *number, stk_error *err)
{
    uint64_t folded;
    STK_TRY(stk_state_get_u64(in, &folded, err));
    *number = (int64_t)((folded >> 1) ^ (~(folded & 1) + 1));
    return STK_OK;
}

stk_status stk_state_get_count(stk_state_in *in, uint64_t most, uint64_t *number, stk_error *err)
{
    STK_TRY(stk_state_get_u64(in, number, err));
    return *number > most ? stk_state_damaged(in, "a number is out of range", err) : STK_OK;
}

stk_status stk_state_get_bool(stk_state_in *in, bool *truth, stk_error *err)
{
    uint64_t number;
    STK_TRY(stk_state_get_count(in, 1, &number, err));
    *truth = number != 0;
    return STK_OK;
}

stk_status stk_state_get_bytes(stk_state_in *in, stk_bytes *bytes, stk_error *err)
{
    uint64_t size;
    STK_TRY(stk_state_get_count(in, UINT64_MAX, &size, err));
    if (size > in->left.size) return stk_state_damaged(in, "a string ends too soon", err);
    *bytes = stk_bytes_of(in->left.data, (size_t)size);
    in->left = stk_bytes_of(in->left.data + size, in->left.size - (size_t)size);
    return STK_OK;
}

static stk_status put_data(stk_state_out *out, const stk_value *value, int64_t count,
                           stk_error *err)
{
    if (value->dtype != STK_DTYPE_BYTES)
        return stk_state_put_bytes(
            out, stk_bytes_of(stk_value_data(value), (size_t)count * stk_dtype_bytes(value->dtype)),
            err);
    const stk_bytes *strings = stk_value_data(value);
    for (int64_t i = 0; i < count; i++)
        STK_TRY(stk_state_put_bytes(out, strings[i], err));
    return STK_OK;
}

static stk_status put_places(stk_state_out *out, const stk_value *value, stk_error *err)
{
    size_t numbers = 0;
    if (value->kind == STK_VALUE_RAGGED) numbers = (size_t)value->count + 1;
    if (value->kind == STK_VALUE_SPARSE) numbers = (size_t)value->count * (size_t)value->shape.rank;
    STK_TRY(stk_state_put_i64(out, value->count, err));
    for (size_t i = 0; i < numbers; i++)
        STK_TRY(stk_state_put_i64(out, value->places[i], err));
    return STK_OK;
}

static stk_status put_value(stk_state_out *out, const stk_value *value, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, value->kind, err));
    if (value->kind == STK_VALUE_DATASET) return stk_elements_save(value->small.dataset, out, err);
    STK_TRY(stk_state_put_u64(out, value->dtype, err));
    STK_TRY(stk_state_put_u64(out, (uint64_t)value->shape.rank, err));
    for (int i = 0; i < value->shape.rank; i++)
        STK_TRY(stk_state_put_i64(out, value->shape.dim[i], err));
    if (value->kind != STK_VALUE_DENSE) STK_TRY(put_places(out, value, err));
    return put_data(out, value,
                    value->kind == STK_VALUE_SPARSE ? value->count : stk_value_elements(value),
                    err);
}

stk_status stk_state_put_element(stk_state_out *out, const stk_element *element, stk_error *err)
{
    if (!element) return stk_state_put_u64(out, 0, err);
    const size_t      count = stk_element_count(element);
    const stk_origin *from = stk_element_origin(element);
    STK_TRY(stk_state_put_u64(out, count + 1, err));
    STK_TRY(stk_state_put_u64(out, from->file != NULL, err));
    if (from->file)
        STK_TRY(stk_state_put_bytes(
            out, stk_bytes_of(stk_buffer_data(from->file), stk_buffer_size(from->file)), err));
    STK_TRY(stk_state_put_u64(out, from->record, err));
    STK_TRY(stk_state_put_u64(out, from->offset, err));
    STK_TRY(stk_state_put_u64(out, from->epoch, err));
    STK_TRY(stk_state_put_u64(out, from->index, err));
    for (size_t i = 0; i < count; i++)
        STK_TRY(put_value(out, stk_element_value(element, i), err));
    return STK_OK;
}

static stk_status get_shape(stk_state_in *in, stk_shape *shape, int64_t *count, stk_error *err)
{
    uint64_t rank;
    STK_TRY(stk_state_get_count(in, STK_MAX_RANK, &rank, err));
    *shape = stk_shape_scalar();
    shape->rank = (int)rank;
    for (uint64_t i = 0; i < rank; i++)
        STK_TRY(stk_state_get_i64(in, &shape->dim[i], err));
    stk_error ignored;
    return stk_shape_count(shape, count, &ignored) ? stk_state_damaged(in, "a shape", err) : STK_OK;
}

/* Every string takes a byte at least, so count is checked against what is left first. */
static stk_status get_strings(stk_state_in *in, stk_value *value, const stk_shape *shape,
                              int64_t count, stk_error *err)
{
    if ((uint64_t)count > in->left.size)
        return stk_state_damaged(in, "there are fewer strings than it says", err);
    stk_blob views;
    stk_blob_init(&views, in->ledger, STK_MEMORY_RECORD);
    stk_status st = stk_blob_reserve(&views, ((size_t)count + 1) * sizeof(stk_bytes), err);
    stk_bytes *strings = (stk_bytes *)(void *)views.data;
    for (int64_t i = 0; i < count && !st; i++)
        st = stk_state_get_bytes(in, &strings[i], err);
    if (!st) st = stk_value_strings(value, in->ledger, shape, strings, err);
    stk_blob_release(&views);
    return st;
}

static stk_status get_dense(stk_state_in *in, stk_value *value, stk_dtype dtype,
                            const stk_shape *shape, int64_t count, stk_error *err)
{
    if (dtype == STK_DTYPE_BYTES) return get_strings(in, value, shape, count, err);
    stk_bytes data;
    void     *to;
    STK_TRY(stk_state_get_bytes(in, &data, err));
    if (data.size / stk_dtype_bytes(dtype) != (size_t)count || data.size % stk_dtype_bytes(dtype))
        return stk_state_damaged(in, "a value has another size than its shape", err);
    STK_TRY(stk_value_dense(value, in->ledger, dtype, shape, &to, err));
    if (data.size) memcpy(to, data.data, data.size);
    return STK_OK;
}

/* The places and the flat values must live in one buffer: the values are read first, then both are
 * put together. */
static stk_status get_with_places(stk_state_in *in, stk_value *value, stk_value_kind kind,
                                  stk_dtype dtype, const stk_shape *shape, int64_t count,
                                  stk_error *err)
{
    int64_t rows;
    STK_TRY(stk_state_get_i64(in, &rows, err));
    if (rows < 0 || (uint64_t)rows >= in->left.size)
        return stk_state_damaged(in, "a number of rows", err);
    const size_t numbers =
        kind == STK_VALUE_RAGGED ? (size_t)rows + 1 : (size_t)rows * (size_t)shape->rank;
    if (numbers > in->left.size) return stk_state_damaged(in, "a number of places", err);
    stk_blob places;
    stk_blob_init(&places, in->ledger, STK_MEMORY_RECORD);
    stk_status st = stk_blob_reserve(&places, (numbers + 1) * sizeof(int64_t), err);
    int64_t   *list = (int64_t *)(void *)places.data;
    for (size_t i = 0; i < numbers && !st; i++)
        st = stk_state_get_i64(in, &list[i], err);
    const stk_shape flat = stk_shape_1d(rows);
    stk_value       dense = {0};
    if (!st && kind == STK_VALUE_RAGGED) st = get_dense(in, &dense, dtype, shape, count, err);
    if (!st && kind == STK_VALUE_SPARSE) st = get_dense(in, &dense, dtype, &flat, rows, err);
    if (!st) st = stk_value_with_places(value, kind, &dense, shape, list, rows, in->ledger, err);
    if (st == STK_E_INVALID) st = stk_state_damaged(in, "row splits or places", err);
    stk_value_release(&dense);
    stk_blob_release(&places);
    return st;
}

static stk_status get_value(stk_state_in *in, stk_value *value, stk_error *err)
{
    uint64_t kind, dtype;
    STK_TRY(stk_state_get_count(in, STK_VALUE_DATASET, &kind, err));
    if (kind == STK_VALUE_DATASET) {
        stk_dataset *data;
        if (in->nested == STK_STATE_NESTED_MOST)
            return stk_state_damaged(in, "datasets inside datasets without end", err);
        in->nested++;
        STK_TRY(stk_elements_restore(&data, in, err));
        in->nested--;
        stk_value_dataset(value, data);
        stk_dataset_unref(data);
        return STK_OK;
    }
    stk_shape shape;
    int64_t   count;
    STK_TRY(stk_state_get_count(in, STK_DTYPE_COUNT - 1, &dtype, err));
    if (dtype == STK_DTYPE_NONE) return stk_state_damaged(in, "a type", err);
    STK_TRY(get_shape(in, &shape, &count, err));
    if (kind == STK_VALUE_DENSE) return get_dense(in, value, (stk_dtype)dtype, &shape, count, err);
    return get_with_places(in, value, (stk_value_kind)kind, (stk_dtype)dtype, &shape, count, err);
}

static stk_status get_origin(stk_state_in *in, stk_element *element, stk_error *err)
{
    stk_origin from = {0};
    bool       has_file;
    stk_bytes  file = {0};
    STK_TRY(stk_state_get_bool(in, &has_file, err));
    if (has_file) STK_TRY(stk_state_get_bytes(in, &file, err));
    STK_TRY(stk_state_get_u64(in, &from.record, err));
    STK_TRY(stk_state_get_u64(in, &from.offset, err));
    STK_TRY(stk_state_get_u64(in, &from.epoch, err));
    STK_TRY(stk_state_get_u64(in, &from.index, err));
    if (has_file) {
        STK_TRY(stk_buffer_new(&from.file, in->ledger, STK_MEMORY_INDEX, file.size, err));
        if (file.size) memcpy(stk_buffer_data(from.file), file.data, file.size);
    }
    stk_element_set_origin(element, &from);
    stk_buffer_unref(from.file);
    return STK_OK;
}

stk_status stk_state_get_element(stk_state_in *in, stk_element **out, stk_error *err)
{
    *out = NULL;
    uint64_t count;
    STK_TRY(stk_state_get_count(in, in->left.size, &count, err));
    if (count == 0) return STK_OK;
    stk_element *element;
    STK_TRY(stk_element_new(&element, (size_t)count - 1, err));
    stk_status st = get_origin(in, element, err);
    for (uint64_t i = 0; i + 1 < count && !st; i++)
        st = get_value(in, stk_element_edit(element, i), err);
    if (st) {
        stk_element_unref(element);
        return st;
    }
    *out = element;
    return STK_OK;
}
