/* The bytes of a restart index. */
#include "image/jpeg/restart_index.h"

enum {
    INDEX_VERSION = 1,
    NUMBER_BYTES = 5, /* the longest varint of 32 bits */
    LENGTH_MIN = 3    /* a byte of codes and a marker */
};

static stk_status put_number(stk_blob *out, uint32_t number, stk_error *err)
{
    uint8_t bytes[NUMBER_BYTES];
    size_t  count = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[count++] = (uint8_t)(number | 0x80);
    bytes[count++] = (uint8_t)number;
    return stk_blob_append(out, bytes, count, err);
}

/* The number at *at, which moves behind it; false when there is none of 32 bits. */
static bool take_number(stk_bytes bytes, uint32_t *at, uint32_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 7 * NUMBER_BYTES && *at < bytes.size; shift += 7) {
        const uint8_t byte = bytes.data[(*at)++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        *number = (uint32_t)value;
        return value <= UINT32_MAX;
    }
    return false;
}

stk_status stk_restart_index_write(stk_blob *out, uint32_t interval, uint32_t first,
                                   const uint32_t *lengths, uint32_t count, stk_error *err)
{
    const uint8_t version = INDEX_VERSION;
    STK_TRY(stk_blob_append(out, &version, 1, err));
    STK_TRY(put_number(out, interval, err));
    STK_TRY(put_number(out, count, err));
    STK_TRY(put_number(out, first, err));
    for (uint32_t i = 0; i < count; i++)
        STK_TRY(put_number(out, lengths[i], err));
    return STK_OK;
}

bool stk_restart_index_read(stk_restart_index *out, stk_bytes bytes)
{
    *out = (stk_restart_index){.at = 1, .bytes = bytes};
    if (!bytes.size || bytes.size > UINT32_MAX || bytes.data[0] != INDEX_VERSION) return false;
    if (!take_number(bytes, &out->at, &out->interval) ||
        !take_number(bytes, &out->at, &out->count) || !take_number(bytes, &out->at, &out->first))
        return false;
    /* A length has a byte at least, so that a count that lies asks for no memory. */
    return out->interval && out->count && out->count <= bytes.size - out->at;
}

bool stk_restart_index_offsets(const stk_restart_index *index, uint32_t limit, uint32_t *offsets)
{
    uint32_t at = index->at, length;
    uint64_t offset = index->first;
    for (uint32_t i = 0; i < index->count; i++) {
        offsets[i] = (uint32_t)offset;
        if (!take_number(index->bytes, &at, &length) || length < LENGTH_MIN) return false;
        offset += length;
        if (offset > limit) return false;
    }
    offsets[index->count] = (uint32_t)offset;
    return at == index->bytes.size;
}
