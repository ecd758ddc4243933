/* CRC-32C by the processor's instruction. It takes three cycles but one can start each cycle, so
 * long runs go through it in three lanes side by side, which are joined by a carry-less multiply.
 */
#include "base/crc32c.h"

#if defined(__x86_64__)

#include <nmmintrin.h>
#include <string.h>
#include <wmmintrin.h>

#define WITH_CRC __attribute__((target("sse4.2,pclmul")))

WITH_CRC static inline uint64_t add_word(uint64_t crc, const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return _mm_crc32_u64(crc, word);
}

WITH_CRC static inline __m128i multiply(uint64_t crc, uint32_t factor)
{
    return _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)crc), _mm_cvtsi32_si128((int32_t)factor),
                                0);
}

/* Three lanes of lane_bytes each. over_one and over_two move a checksum over the bytes of one lane
 * and of two: x^(8n - 33) modulo the polynomial. The product has 64 bits; the instruction reduces
 * it, which multiplies by x^32, and bit-reflected products are one place off: hence the 33. */
WITH_CRC static inline uint64_t add_lanes(uint64_t crc, const uint8_t *p, size_t lane_bytes,
                                          uint32_t over_one, uint32_t over_two)
{
    uint64_t a = crc, b = 0, c = 0;
    for (const uint8_t *end = p + lane_bytes; p < end; p += 8) {
        a = add_word(a, p);
        b = add_word(b, p + lane_bytes);
        c = add_word(c, p + 2 * lane_bytes);
    }
    const __m128i moved = _mm_xor_si128(multiply(a, over_two), multiply(b, over_one));
    return c ^ _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(moved));
}

WITH_CRC static uint64_t add_tail(uint64_t crc, const uint8_t *p, size_t size)
{
    uint32_t narrow = (uint32_t)crc;
    if (size & 4) {
        uint32_t four;
        memcpy(&four, p, sizeof four);
        narrow = _mm_crc32_u32(narrow, four);
        p += 4;
    }
    if (size & 2) {
        uint16_t two;
        memcpy(&two, p, sizeof two);
        narrow = _mm_crc32_u16(narrow, two);
        p += 2;
    }
    if (size & 1) narrow = _mm_crc32_u8(narrow, *p);
    return narrow;
}

WITH_CRC static inline uint32_t finish(uint64_t crc, const uint8_t *p, size_t size)
{
    for (; size >= 8; size -= 8, p += 8)
        crc = add_word(crc, p);
    return ~(uint32_t)(size ? add_tail(crc, p, size) : crc);
}

/* Kept out of run, so that the checksum of a record's eight-byte length stays short. */
WITH_CRC __attribute__((noinline)) static uint32_t run_long(uint64_t crc, const uint8_t *p,
                                                            size_t size)
{
    for (; size >= 3 * 2048; size -= 3 * 2048, p += 3 * 2048)
        crc = add_lanes(crc, p, 2048, 0xA51B6135, 0x82F89C77);
    for (; size >= 3 * 256; size -= 3 * 256, p += 3 * 256)
        crc = add_lanes(crc, p, 256, 0xB9E02B86, 0xDD7E3B0C);
    for (; size >= 3 * 64; size -= 3 * 64, p += 3 * 64)
        crc = add_lanes(crc, p, 64, 0x9E4ADDF8, 0x0D3B6092);
    return finish(crc, p, size);
}

WITH_CRC static uint32_t run(uint32_t crc, const void *data, size_t size)
{
    return size >= 3 * 64 ? run_long(~crc, data, size) : finish(~crc, data, size);
}

stk_crc32c_fn stk_crc32c_sse42(void)
{
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") ? run : NULL;
}

#else

stk_crc32c_fn stk_crc32c_sse42(void)
{
    return NULL;
}

#endif
