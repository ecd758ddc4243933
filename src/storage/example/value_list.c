/* Value lists: counting and reading, packed or not. */
#include "storage/example/value_list.h"

static const uint64_t high_bits = 0x8080808080808080u;

stk_dtype stk_value_list_dtype(uint32_t field)
{
    switch (field) {
    case 1:
        return STK_DTYPE_BYTES;
    case 2:
        return STK_DTYPE_F32;
    case 3:
        return STK_DTYPE_I64;
    default:
        return STK_DTYPE_NONE;
    }
}

const char *stk_value_list_name(stk_dtype dtype)
{
    switch (dtype) {
    case STK_DTYPE_BYTES:
        return "bytes";
    case STK_DTYPE_F32:
        return "float";
    case STK_DTYPE_I64:
        return "int64";
    default:
        return "no";
    }
}

bool stk_value_list_find(stk_wire *feature, stk_dtype *dtype, stk_bytes *list)
{
    *dtype = STK_DTYPE_NONE;
    *list = stk_bytes_of("", 0);
    while (!stk_wire_done(feature)) {
        uint32_t field;
        int      type;
        if (!stk_wire_tag(feature, &field, &type)) return false;
        const stk_dtype found = stk_value_list_dtype(field);
        if (!*dtype && found && type == STK_WIRE_LEN) {
            if (!stk_wire_len(feature, list)) return false;
            *dtype = found;
        } else if (!stk_wire_skip(feature, type)) {
            return false;
        }
    }
    return true;
}

/* A varint of up to 8 bytes at `at`, where 8 can be read; NULL for a longer one. Without a branch
 * on its size: identifiers of two or three bytes in no order would be guessed wrong half of the
 * time. */
static inline const uint8_t *unpack_short(const uint8_t *at, int64_t *value)
{
    const uint64_t x = stk_load64(at), ends = ~x & high_bits;
    if (!ends) return NULL;
    *value = (int64_t)stk_varint_squeeze(x & (ends ^ (ends - 1)));
    return at + __builtin_ctzll(ends) / 8 + 1;
}

bool stk_varints_unpack(const uint8_t *at, const uint8_t *end, int64_t *values, size_t count)
{
    size_t i = 0;
    while (i < count) {
        const bool full_word = end - at >= 8;
        /* Labels, tokens and flags are mostly below 128: eight bytes, eight values. */
        if (full_word && count - i >= 8 && !(stk_load64(at) & high_bits)) {
            for (int k = 0; k < 8; k++)
                values[i + k] = at[k];
            i += 8;
            at += 8;
            continue;
        }
        const uint8_t *next = full_word ? unpack_short(at, &values[i]) : NULL;
        if (!next) {
            uint64_t value;
            next = stk_varint_read(at, end, &value);
            if (!next) return false;
            values[i] = (int64_t)value;
        }
        at = next;
        i++;
    }
    return at == end;
}

/* One field of a list, whatever its form: count values that begin at data. */
typedef struct run {
    const uint8_t *data;
    size_t         size;
    size_t         count; /* 0 for a field that is not a value */
} run;

/* A packed chunk of numbers. */
static bool take_packed(stk_wire *list, stk_dtype dtype, run *r)
{
    const uint8_t *begin = list->at;
    stk_bytes      chunk;
    if (!stk_wire_len(list, &chunk)) return false;
    r->data = chunk.data;
    r->size = chunk.size;
    if (dtype == STK_DTYPE_F32) {
        r->count = chunk.size / sizeof(float);
        if (chunk.size % sizeof(float) == 0) return true;
        list->at = begin;
        return stk_wire_fail(list, "a packed chunk of floats is no multiple of 4 bytes");
    }
    r->count = stk_varints_count(chunk.data, chunk.data + chunk.size);
    if (!chunk.size || chunk.data[chunk.size - 1] < 0x80) return true;
    list->at = begin;
    return stk_wire_fail(list, "the last number of a packed chunk is cut off");
}

/* The next field of the list. */
static bool take_run(stk_wire *list, stk_dtype dtype, run *r)
{
    uint32_t field;
    int      type;
    *r = (run){0};
    if (!stk_wire_tag(list, &field, &type)) return false;
    const uint8_t *begin = list->at;
    if (field == 1 && type == STK_WIRE_LEN && dtype != STK_DTYPE_BYTES)
        return take_packed(list, dtype, r);
    stk_bytes chunk;
    if (field == 1 && type == STK_WIRE_LEN) {
        if (!stk_wire_len(list, &chunk)) return false;
        *r = (run){.data = chunk.data, .size = chunk.size, .count = 1};
        return true;
    }
    if (!stk_wire_skip(list, type)) return false;
    if (field == 1 && ((dtype == STK_DTYPE_I64 && type == STK_WIRE_VARINT) ||
                       (dtype == STK_DTYPE_F32 && type == STK_WIRE_FIXED32)))
        *r = (run){.data = begin, .size = (size_t)(list->at - begin), .count = 1};
    return true;
}

bool stk_value_list_count(stk_wire *list, stk_dtype dtype, size_t *count)
{
    *count = 0;
    while (!stk_wire_done(list)) {
        run r;
        if (!take_run(list, dtype, &r)) return false;
        *count += r.count;
    }
    return true;
}

/* The first count values of a run. */
static bool unpack_run(const run *r, stk_dtype dtype, void *values, size_t at, size_t count)
{
    if (!count) return true;
    if (dtype == STK_DTYPE_BYTES) {
        ((stk_bytes *)values)[at] = stk_bytes_of(r->data, r->size);
        return true;
    }
    if (dtype == STK_DTYPE_F32) {
        memcpy((float *)values + at, r->data, count * sizeof(float));
        return true;
    }
    const uint8_t *next = r->data, *end = r->data + r->size;
    if (count == r->count) return stk_varints_unpack(next, end, (int64_t *)values + at, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        next = stk_varint_read(next, end, &value);
        if (!next) return false;
        ((int64_t *)values)[at + i] = (int64_t)value;
    }
    return true;
}

bool stk_value_list_read(stk_wire *list, stk_dtype dtype, void *values, size_t capacity,
                         size_t *count)
{
    *count = 0;
    while (!stk_wire_done(list) && *count < capacity) {
        const uint8_t *begin = list->at;
        run            r;
        if (!take_run(list, dtype, &r)) return false;
        const size_t left = capacity - *count, take = r.count < left ? r.count : left;
        if (!unpack_run(&r, dtype, values, *count, take)) {
            list->at = begin;
            return stk_wire_fail(list, "a number has more than 10 bytes");
        }
        *count += take;
    }
    return true;
}
