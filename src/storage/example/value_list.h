/* The values of one feature: BytesList, FloatList or Int64List, as bytes of the wire.
 * Numbers come packed, one by one, or as any mix of both. */
#ifndef STK_STORAGE_EXAMPLE_VALUE_LIST_H
#define STK_STORAGE_EXAMPLE_VALUE_LIST_H

#include "storage/example/wire.h"

#include <stoker/tensor.h>

/* The type of a list by its field number in Feature: BYTES, F32, I64, else NONE. */
stk_dtype stk_value_list_dtype(uint32_t field);

/* "bytes", "float" or "int64", TensorFlow's names. */
const char *stk_value_list_name(stk_dtype dtype);

/* The list in a Feature message. *dtype is NONE when the kind is unset. When a Feature holds more
 * than one list, the first counts, as in TensorFlow (protobuf would take the last kind). */
bool stk_value_list_find(stk_wire *feature, stk_dtype *dtype, stk_bytes *list);

/* Counts the values of the list. The cursor is then at the end, or at the fault. */
bool stk_value_list_count(stk_wire *list, stk_dtype dtype, size_t *count);

/* Reads at most capacity values; *count is how many. Byte strings are views. Several packed fields
 * and mixtures follow protobuf: all values count. (TensorFlow reads only the first, and drops or
 * refuses the rest.) */
bool stk_value_list_read(stk_wire *list, stk_dtype dtype, void *values, size_t capacity,
                         size_t *count);

/* Exactly count varints, which must end at `end`. */
bool stk_varints_unpack(const uint8_t *at, const uint8_t *end, int64_t *values, size_t count);

/* Number of varints in a packed field: the bytes that end one. */
static inline size_t stk_varints_count(const uint8_t *at, const uint8_t *end)
{
    size_t count = 0;
    for (; at < end; at++)
        count += *at < 0x80;
    return count;
}

#endif
