/* CRC-32C (Castagnoli): the checksum of TFRecord and of our own files. */
#ifndef STK_BASE_CRC32C_H
#define STK_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues crc (0 to begin) over size bytes. Uses the processor's instruction where there is
 * one. */
uint32_t stk_crc32c(uint32_t crc, const void *data, size_t size);

/* TFRecord stores checksums rotated and offset, so that a checksum of data that holds checksums
 * stays well distributed. */
static inline uint32_t stk_crc32c_mask(uint32_t crc)
{
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

static inline uint32_t stk_crc32c_unmask(uint32_t masked)
{
    const uint32_t rotated = masked - 0xA282EAD8u;
    return (rotated << 15) | (rotated >> 17);
}

/* Each implementation by itself, for tests and benchmarks. NULL where the processor lacks it. */
typedef uint32_t (*stk_crc32c_fn)(uint32_t crc, const void *data, size_t size);
stk_crc32c_fn stk_crc32c_table(void);
stk_crc32c_fn stk_crc32c_sse42(void);

#endif
