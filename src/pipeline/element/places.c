/* Ragged and sparse values: flat values and their places, checked, in one buffer. */
#include "pipeline/element/places.h"

#include "base/checked.h"

static bool splits_are_sound(const int64_t *splits, int64_t rows, int64_t values)
{
    if (splits[0] != 0 || splits[rows] != values) return false;
    for (int64_t i = 0; i < rows; i++)
        if (splits[i] > splits[i + 1]) return false;
    return true;
}

static bool places_are_sound(const int64_t *places, int64_t count, const stk_shape *shape)
{
    for (int64_t i = 0; i < count; i++)
        for (int d = 0; d < shape->rank; d++)
            if (places[i * shape->rank + d] < 0 || places[i * shape->rank + d] >= shape->dim[d])
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

stk_status stk_value_with_places(stk_value *out, stk_value_kind kind, const stk_value *dense,
                                 const stk_shape *shape, const int64_t *places, int64_t count,
                                 stk_ledger *ledger, stk_error *err)
{
    *out = (stk_value){0};
    const bool ragged = kind == STK_VALUE_RAGGED;
    if (dense->shape.rank < 1 || count < 0 ||
        (ragged ? !splits_are_sound(places, count, dense->shape.dim[0])
                : dense->shape.dim[0] != count || !places_are_sound(places, count, shape)))
        return stk_fail(err, STK_E_INVALID, "pipeline", NULL,
                        ragged ? "row splits must begin at 0, never fall and end at the number of "
                                 "values"
                               : "every place must be inside the shape");
    size_t numbers, place_bytes, bytes, total;
    bool   wide = ragged ? stk_add_overflows((size_t)count, 1, &numbers)
                         : stk_mul_overflows((size_t)count, (size_t)shape->rank, &numbers);
    wide = wide || stk_mul_overflows(numbers, sizeof *places, &place_bytes);
    STK_TRY(flat_bytes(dense, &bytes, err));
    if (wide || stk_add_overflows(place_bytes, bytes, &total))
        return stk_fail(err, STK_E_LIMIT, "pipeline", NULL, "the values are too large");
    stk_buffer *storage;
    STK_TRY(stk_buffer_new(&storage, ledger, STK_MEMORY_BATCH, total, err));
    uint8_t *data = stk_buffer_data(storage);
    if (place_bytes) memcpy(data, places, place_bytes);
    copy_flat(data + place_bytes, dense, bytes);
    *out = (stk_value){.kind = kind,
                       .dtype = dense->dtype,
                       .shape = ragged ? dense->shape : *shape,
                       .data = data + place_bytes,
                       .places = (const int64_t *)(const void *)data,
                       .count = count,
                       .storage = storage};
    return STK_OK;
}
