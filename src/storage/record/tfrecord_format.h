/* The frame around a record: u64 length, u32 masked CRC-32C of those 8 bytes, the data, u32 masked
 * CRC-32C of the data; all little-endian. */
#ifndef STK_STORAGE_RECORD_TFRECORD_FORMAT_H
#define STK_STORAGE_RECORD_TFRECORD_FORMAT_H

#include "base/crc32c.h"

#include <endian.h>
#include <stdbool.h>
#include <stoker/tfrecord.h>
#include <string.h>

enum {
    STK_TFRECORD_FRAME = STK_TFRECORD_HEADER + STK_TFRECORD_FOOTER, /* around the data */
    STK_TFRECORD_LENGTH = 8,                                        /* bytes of the length */
    STK_TFRECORD_BUFFER = 256 << 10, /* default: a buffer that stays in the second-level cache */
    STK_TFRECORD_LIMIT = 1 << 30,    /* default for the longest record */
};

static inline uint32_t stk_load_u32(const uint8_t *src)
{
    uint32_t value;
    memcpy(&value, src, sizeof value);
    return le32toh(value);
}

static inline uint64_t stk_load_u64(const uint8_t *src)
{
    uint64_t value;
    memcpy(&value, src, sizeof value);
    return le64toh(value);
}

static inline void stk_store_u32(uint8_t *dst, uint32_t value)
{
    value = htole32(value);
    memcpy(dst, &value, sizeof value);
}

static inline void stk_store_u64(uint8_t *dst, uint64_t value)
{
    value = htole64(value);
    memcpy(dst, &value, sizeof value);
}

/* The checksum as the file holds it. */
static inline uint32_t stk_tfrecord_checksum(const uint8_t *data, size_t size)
{
    return stk_crc32c_mask(stk_crc32c(0, data, size));
}

/* Whether the 12 bytes at header are a length with its checksum. */
static inline bool stk_tfrecord_header_is_valid(const uint8_t *header)
{
    return stk_load_u32(header + STK_TFRECORD_LENGTH) ==
           stk_tfrecord_checksum(header, STK_TFRECORD_LENGTH);
}

static inline void stk_tfrecord_store_header(uint8_t *header, uint64_t length)
{
    stk_store_u64(header, length);
    stk_store_u32(header + STK_TFRECORD_LENGTH, stk_tfrecord_checksum(header, STK_TFRECORD_LENGTH));
}

#endif
