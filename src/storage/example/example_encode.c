/* Sizes and bytes of Feature and Features messages. */
#include "storage/example/example_encode.h"

#include "base/checked.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_FIELDS = 32 }; /* names that are quicker compared than hashed */

enum { TAG_FIRST = 0x0a, TAG_SECOND = 0x12, TAG_THIRD = 0x1a };

static size_t varint_size(uint64_t value)
{
    return (size_t)(63 - __builtin_clzll(value | 1)) / 7 + 1;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

size_t stk_encode_add(size_t a, size_t b)
{
    size_t sum;
    return stk_add_overflows(a, b, &sum) ? SIZE_MAX : sum;
}

size_t stk_wire_len_size(size_t size)
{
    return stk_encode_add(size, 1 + varint_size(size));
}

uint8_t *stk_wire_put_len(uint8_t *at, uint8_t tag, size_t size)
{
    *at = tag;
    return put_varint(at + 1, size);
}

stk_status stk_encode_check_dtype(stk_dtype dtype, const char *name, stk_error *err)
{
    switch (dtype) {
    case STK_DTYPE_I64:
    case STK_DTYPE_I32:
    case STK_DTYPE_F32:
    case STK_DTYPE_U8:
    case STK_DTYPE_BYTES:
        return STK_OK;
    default:
        return stk_fail(err, STK_E_TYPE, "write", name,
                        "an Example cannot hold %s: convert it to int64, int32, float32, uint8 or "
                        "bytes",
                        stk_dtype_name(dtype));
    }
}

static uint64_t integer_at(stk_dtype dtype, const void *data, size_t i)
{
    if (dtype == STK_DTYPE_I64) return (uint64_t)((const int64_t *)data)[i];
    return (uint64_t)(int64_t)((const int32_t *)data)[i];
}

static bool is_integer(stk_dtype dtype)
{
    return dtype == STK_DTYPE_I64 || dtype == STK_DTYPE_I32;
}

/* The content of a packed field. */
static size_t packed_size(stk_dtype dtype, const void *data, size_t count)
{
    size_t size = 0;
    if (dtype == STK_DTYPE_F32) {
        if (stk_mul_overflows(count, sizeof(float), &size)) return SIZE_MAX;
        return size;
    }
    for (size_t i = 0; i < count; i++)
        size = stk_encode_add(size, varint_size(integer_at(dtype, data, i)));
    return size;
}

/* The list message: packed numbers, or strings one by one. No values give no bytes. */
static size_t list_size(stk_dtype dtype, const void *data, size_t count)
{
    if (dtype == STK_DTYPE_U8) return stk_wire_len_size(count);
    if (dtype != STK_DTYPE_BYTES)
        return count ? stk_wire_len_size(packed_size(dtype, data, count)) : 0;
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size = stk_encode_add(size, stk_wire_len_size(((const stk_bytes *)data)[i].size));
    return size;
}

static uint8_t *put_string(uint8_t *at, const void *data, size_t size)
{
    at = stk_wire_put_len(at, TAG_FIRST, size);
    if (size) memcpy(at, data, size);
    return at + size;
}

static uint8_t *put_list(uint8_t *at, stk_dtype dtype, const void *data, size_t count)
{
    if (dtype == STK_DTYPE_U8) return put_string(at, data, count);
    if (!count) return at;
    if (dtype == STK_DTYPE_BYTES) {
        for (size_t i = 0; i < count; i++)
            at = put_string(at, ((const stk_bytes *)data)[i].data,
                            ((const stk_bytes *)data)[i].size);
        return at;
    }
    if (dtype == STK_DTYPE_F32) return put_string(at, data, count * sizeof(float));
    at = stk_wire_put_len(at, TAG_FIRST, packed_size(dtype, data, count));
    for (size_t i = 0; i < count; i++)
        at = put_varint(at, integer_at(dtype, data, i));
    return at;
}

size_t stk_feature_size(stk_dtype dtype, const void *data, size_t count)
{
    return stk_wire_len_size(list_size(dtype, data, count));
}

uint8_t *stk_feature_put(uint8_t *at, stk_dtype dtype, const void *data, size_t count)
{
    const uint8_t kind = is_integer(dtype)        ? TAG_THIRD
                         : dtype == STK_DTYPE_F32 ? TAG_SECOND
                                                  : TAG_FIRST;
    at = stk_wire_put_len(at, kind, list_size(dtype, data, count));
    return put_list(at, dtype, data, count);
}

static stk_status say_same_name(const stk_sample *sample, size_t first, size_t second,
                                stk_error *err)
{
    return stk_fail(err, STK_E_INVALID, "write", sample->fields[second].name,
                    "fields %zu and %zu have the same name: a reader would see only the last",
                    first, second);
}

static stk_status compare_names(const stk_sample *sample, stk_error *err)
{
    for (size_t i = 1; i < sample->field_count; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(sample->fields[k].name, sample->fields[i].name))
                return say_same_name(sample, k, i, err);
    return STK_OK;
}

/* By a table of hashes, at most half full. */
static stk_status hash_names(const stk_sample *sample, size_t *buckets, size_t mask, stk_error *err)
{
    for (size_t i = 0; i < sample->field_count; i++) {
        const char *name = sample->fields[i].name;
        size_t      bucket = stk_hash64(0, name, strlen(name)) & mask;
        for (; buckets[bucket]; bucket = (bucket + 1) & mask)
            if (!strcmp(sample->fields[buckets[bucket] - 1].name, name))
                return say_same_name(sample, buckets[bucket] - 1, i, err);
        buckets[bucket] = i + 1;
    }
    return STK_OK;
}

/* A row of a wide table has tens of thousands of fields: comparing each with each would take
 * seconds a record. */
static stk_status check_names(const stk_sample *sample, stk_error *err)
{
    size_t capacity = 2 * FEW_FIELDS;
    if (sample->field_count <= FEW_FIELDS) return compare_names(sample, err);
    while (capacity / 2 < sample->field_count)
        capacity *= 2;
    size_t *buckets = calloc(capacity, sizeof *buckets);
    if (!buckets)
        return stk_fail(err, STK_E_NOMEM, "write", NULL, "no memory to compare %zu names",
                        sample->field_count);
    const stk_status st = hash_names(sample, buckets, capacity - 1, err);
    free(buckets);
    return st;
}

stk_status stk_features_check(const stk_sample *sample, stk_error *err)
{
    for (size_t i = 0; i < sample->field_count; i++) {
        const stk_field *field = &sample->fields[i];
        if (!field->name)
            return stk_fail(err, STK_E_INVALID, "write", NULL, "field %zu has no name", i);
        STK_TRY(stk_encode_check_dtype(field->dtype, field->name, err));
    }
    return check_names(sample, err);
}

/* The map entry of a field. */
static size_t entry_size(const stk_field *field)
{
    const size_t value = stk_feature_size(field->dtype, field->data, field->count);
    return stk_encode_add(stk_wire_len_size(strlen(field->name)), stk_wire_len_size(value));
}

size_t stk_features_size(const stk_sample *sample)
{
    size_t size = 0;
    for (size_t i = 0; i < sample->field_count; i++)
        size = stk_encode_add(size, stk_wire_len_size(entry_size(&sample->fields[i])));
    return size;
}

uint8_t *stk_features_put(uint8_t *at, const stk_sample *sample)
{
    for (size_t i = 0; i < sample->field_count; i++) {
        const stk_field *field = &sample->fields[i];
        at = stk_wire_put_len(at, TAG_FIRST, entry_size(field));
        at = put_string(at, field->name, strlen(field->name));
        at = stk_wire_put_len(at, TAG_SECOND,
                              stk_feature_size(field->dtype, field->data, field->count));
        at = stk_feature_put(at, field->dtype, field->data, field->count);
    }
    return at;
}

uint8_t *stk_encode_reserve(stk_blob *out, size_t size, stk_error *err)
{
    size_t end;
    if (size > STK_MESSAGE_LIMIT || stk_add_overflows(out->size, size, &end)) {
        stk_fail(err, STK_E_LIMIT, "write", NULL,
                 "a record of more than %zu bytes: protobuf allows no larger one",
                 STK_MESSAGE_LIMIT);
        return NULL;
    }
    if (stk_blob_reserve(out, end ? end : 1, err)) return NULL;
    return out->data + out->size;
}
