/* Ragged and sparse values: flat values and their splits or indices, validated, in one buffer. */
#include "pipeline/element/ragged.h"

#include "base/checked.h"

/* Every level has one split more than rows; numbers bounds the reads. */
static bool splits_are_valid(const int64_t *splits, size_t numbers, int64_t rows, int levels,
                             int64_t values)
{
    for (int level = 0; level < levels; level++) {
        if (rows < 0 || (uint64_t)rows >= numbers || splits[0] != 0) return false;
        for (int64_t i = 0; i < rows; i++)
            if (splits[i] > splits[i + 1]) return false;
        const int64_t below = splits[rows];
        splits += rows + 1;
        numbers -= (size_t)rows + 1;
        rows = below;
    }
    return rows == values && !numbers;
}

/* The product of the dimensions may be past all numbers: nothing of that size is made. */
static bool indices_are_valid(const int64_t *splits_or_indices, int64_t count,
                              const stk_shape *shape)
{
    if (shape->rank < 0 || shape->rank > STK_MAX_RANK) return false;
    for (int d = 0; d < shape->rank; d++)
        if (shape->dim[d] < 0) return false;
    for (int64_t i = 0; i < count; i++)
        for (int d = 0; d < shape->rank; d++)
            if (splits_or_indices[i * shape->rank + d] < 0 ||
                splits_or_indices[i * shape->rank + d] >= shape->dim[d])
                return false;
    return true;
}

/* Bytes of the flat values with all that they point to. */
static stk_status flat_bytes(const stk_value *dense, size_t *bytes, stk_error *err)
{
    const size_t count = (size_t)stk_value_elements(dense);
    bool         wide = stk_mul_overflows(count, stk_dtype_bytes(dense->dtype), bytes);
    if (dense->dtype == STK_DTYPE_BYTES)
        for (size_t i = 0; i < count && !wide; i++)
            wide = stk_add_overflows(*bytes, ((const stk_bytes *)stk_value_data(dense))[i].size,
                                     bytes);
    return wide ? stk_fail(err, STK_E_LIMIT, "pipeline", NULL, "the values are too large") : STK_OK;
}

static void copy_flat(uint8_t *to, const stk_value *dense, size_t bytes)
{
    if (dense->dtype != STK_DTYPE_BYTES) {
        if (bytes) memcpy(to, stk_value_data(dense), bytes);
        return;
    }
    const int64_t    count = stk_value_elements(dense);
    const stk_bytes *from = stk_value_data(dense);
    stk_bytes       *views = (stk_bytes *)(void *)to;
    uint8_t         *text = to + (size_t)count * sizeof *views;
    for (int64_t i = 0; i < count; i++) {
        if (from[i].size) memcpy(text, from[i].data, from[i].size);
        views[i] = stk_bytes_of(text, from[i].size);
        text += from[i].size;
    }
}

/* Copies splits or indices and flat values into one buffer. */
static stk_status put(stk_value *out, const stk_value *dense, const int64_t *splits_or_indices,
                      size_t numbers, stk_ledger *ledger, stk_error *err)
{
    size_t index_bytes, bytes, total;
    STK_TRY(flat_bytes(dense, &bytes, err));
    if (stk_mul_overflows(numbers, sizeof *splits_or_indices, &index_bytes) ||
        stk_add_overflows(index_bytes, bytes, &total))
        return stk_fail(err, STK_E_LIMIT, "pipeline", NULL, "the values are too large");
    stk_buffer *storage;
    STK_TRY(stk_buffer_new(&storage, ledger, STK_MEMORY_BATCH, total, err));
    uint8_t *data = stk_buffer_data(storage);
    if (index_bytes) memcpy(data, splits_or_indices, index_bytes);
    copy_flat(data + index_bytes, dense, bytes);
    out->dtype = dense->dtype;
    out->data = data + index_bytes;
    out->splits_or_indices = (const int64_t *)(const void *)data;
    out->storage = storage;
    return STK_OK;
}

static bool is_flat(const stk_value *value)
{
    return value->kind == STK_VALUE_DENSE && stk_dtype_bytes(value->dtype) &&
           value->shape.rank >= 1 && value->shape.rank <= STK_MAX_RANK;
}

stk_status stk_value_ragged(stk_value *value, stk_ledger *ledger, const stk_value *flat,
                            const int64_t *splits, size_t split_count, int64_t rows, int levels,
                            stk_error *err)
{
    stk_value made = {
        .kind = STK_VALUE_RAGGED, .shape = flat->shape, .count = rows, .levels = levels};
    *value = (stk_value){0};
    if (!is_flat(flat) || levels < 1 || levels > STK_MAX_RANK ||
        !splits_are_valid(splits, split_count, rows, levels, flat->shape.dim[0]))
        return stk_fail(err, STK_E_INVALID, "pipeline", NULL,
                        "row splits must begin at 0, never fall and end at the number of values");
    STK_TRY(put(&made, flat, splits, split_count, ledger, err));
    *value = made;
    return STK_OK;
}

stk_status stk_value_sparse(stk_value *value, stk_ledger *ledger, const stk_value *flat,
                            const stk_shape *shape, const int64_t *indices, int64_t count,
                            stk_error *err)
{
    stk_value made = {.kind = STK_VALUE_SPARSE, .shape = *shape, .count = count};
    size_t    numbers;
    *value = (stk_value){0};
    if (!is_flat(flat) || count < 0 || flat->shape.dim[0] != count ||
        !indices_are_valid(indices, count, shape))
        return stk_fail(err, STK_E_INVALID, "pipeline", NULL,
                        "every place must be inside the shape");
    if (stk_mul_overflows((size_t)count, (size_t)shape->rank, &numbers))
        return stk_fail(err, STK_E_LIMIT, "pipeline", NULL, "the values are too large");
    STK_TRY(put(&made, flat, indices, numbers, ledger, err));
    *value = made;
    return STK_OK;
}

const int64_t *stk_value_splits(const stk_value *value, int level, int64_t *rows)
{
    const int64_t *splits = value->splits_or_indices;
    *rows = value->count;
    for (; level > 0; level--) {
        const int64_t below = splits[*rows];
        splits += *rows + 1;
        *rows = below;
    }
    return splits;
}

size_t stk_value_index_count(const stk_value *value)
{
    int64_t rows;
    if (value->kind == STK_VALUE_SPARSE) return (size_t)value->count * (size_t)value->shape.rank;
    if (value->kind != STK_VALUE_RAGGED) return 0;
    const int64_t *last = stk_value_splits(value, value->levels - 1, &rows);
    return (size_t)(last - value->splits_or_indices) + (size_t)rows + 1;
}
