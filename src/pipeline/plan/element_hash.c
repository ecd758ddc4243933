/* Hashes of elements. */
#include "pipeline/plan/element_hash.h"

#include "base/hash.h"
#include "pipeline/element/ragged.h"

#include <stoker/dataset.h>

static uint64_t hash_data(uint64_t hash, const stk_value *value, int64_t count)
{
    if (value->dtype != STK_DTYPE_BYTES)
        return stk_hash64(hash, stk_value_data(value),
                          (size_t)count * stk_dtype_bytes(value->dtype));
    const stk_bytes *strings = stk_value_data(value);
    for (int64_t i = 0; i < count; i++)
        hash =
            stk_hash64(stk_hash64_number(hash, strings[i].size), strings[i].data, strings[i].size);
    return hash;
}

uint64_t stk_value_hash(uint64_t hash, const stk_value *value)
{
    hash = stk_hash64_number(hash, (uint64_t)value->kind << 8 | (uint64_t)value->dtype);
    if (value->kind == STK_VALUE_DATASET)
        return stk_hash64_number(hash, stk_dataset_fingerprint(value->small.dataset));
    for (int i = 0; i < value->shape.rank; i++)
        hash = stk_hash64_number(hash, (uint64_t)value->shape.dim[i]);
    const size_t numbers = stk_value_index_count(value);
    if (numbers)
        hash =
            stk_hash64(hash, value->splits_or_indices, numbers * sizeof *value->splits_or_indices);
    return hash_data(hash, value,
                     value->kind == STK_VALUE_SPARSE ? value->count : stk_value_elements(value));
}

uint64_t stk_element_hash(uint64_t hash, const stk_element *element)
{
    hash = stk_hash64_number(hash, stk_element_count(element));
    for (size_t i = 0; i < stk_element_count(element); i++)
        hash = stk_value_hash(hash, stk_element_value(element, i));
    return hash;
}
