/* YCbCr to RGB, 32 pixels a step. */
#include "image/jpeg/colour.h"

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))

enum { STEP = 32 };

/* 48 bytes of 16 pixels in each lane. */
AVX2 static inline void store_rgb(uint8_t *dst, __m256i r, __m256i g, __m256i b)
{
    /* The source of byte i of the k-th 16 of 48, for red; green and blue are one and two further.
     */
    const __m256i from0 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1, -1, 5));
    const __m256i from1 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1, 10, -1));
    const __m256i from2 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1, -1));
    const __m256i green0 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1, -1));
    const __m256i green1 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(5, -1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1, 10));
    const __m256i green2 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1));
    const __m256i blue0 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1));
    const __m256i blue1 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-1, 5, -1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1));
    const __m256i blue2 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(10, -1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15));
    const __m256i o0 = _mm256_or_si256(
        _mm256_or_si256(_mm256_shuffle_epi8(r, from0), _mm256_shuffle_epi8(g, green0)),
        _mm256_shuffle_epi8(b, blue0));
    const __m256i o1 = _mm256_or_si256(
        _mm256_or_si256(_mm256_shuffle_epi8(r, from1), _mm256_shuffle_epi8(g, green1)),
        _mm256_shuffle_epi8(b, blue1));
    const __m256i o2 = _mm256_or_si256(
        _mm256_or_si256(_mm256_shuffle_epi8(r, from2), _mm256_shuffle_epi8(g, green2)),
        _mm256_shuffle_epi8(b, blue2));
    _mm256_storeu_si256((__m256i *)dst, _mm256_permute2x128_si256(o0, o1, 0x20));
    _mm256_storeu_si256((__m256i *)(dst + 32), _mm256_permute2x128_si256(o2, o0, 0x30));
    _mm256_storeu_si256((__m256i *)(dst + 64), _mm256_permute2x128_si256(o1, o2, 0x31));
}

/* Twice the difference from 128, of 16 bytes in the high halves of words. */
AVX2 static inline __m256i doubled(__m256i high)
{
    return _mm256_srai_epi16(high, 7);
}

AVX2 static inline __m256i green_of(__m256i cb2, __m256i cr2)
{
    const __m256i weights = _mm256_set1_epi32((int)((uint32_t)(uint16_t)-11277 | -23401u << 16));
    const __m256i half = _mm256_set1_epi32(1 << 15);
    const __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(cb2, cr2), weights);
    const __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(cb2, cr2), weights);
    return _mm256_packs_epi32(_mm256_srai_epi32(_mm256_add_epi32(low, half), 16),
                              _mm256_srai_epi32(_mm256_add_epi32(high, half), 16));
}

/* Rounded products of 16 bits and these constants equal libjpeg's 32-bit ones for all 256 values.
 */
AVX2 static inline __m256i red_of(__m256i cr2)
{
    return _mm256_mulhrs_epi16(cr2, _mm256_set1_epi16(22971));
}

AVX2 static inline __m256i blue_of(__m256i cb2)
{
    return _mm256_mulhrs_epi16(cb2, _mm256_set1_epi16(29033));
}

AVX2 static inline void convert_step(uint8_t *dst, const uint8_t *y, const uint8_t *cb,
                                     const uint8_t *cr)
{
    const __m256i zero = _mm256_setzero_si256(), centre = _mm256_set1_epi8(-128);
    const __m256i y8 = _mm256_loadu_si256((const __m256i *)y);
    const __m256i cb8 = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)cb), centre);
    const __m256i cr8 = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)cr), centre);
    const __m256i y_low = _mm256_unpacklo_epi8(y8, zero), y_high = _mm256_unpackhi_epi8(y8, zero);
    const __m256i b_low = doubled(_mm256_unpacklo_epi8(zero, cb8));
    const __m256i b_high = doubled(_mm256_unpackhi_epi8(zero, cb8));
    const __m256i r_low = doubled(_mm256_unpacklo_epi8(zero, cr8));
    const __m256i r_high = doubled(_mm256_unpackhi_epi8(zero, cr8));
    const __m256i r = _mm256_packus_epi16(_mm256_add_epi16(y_low, red_of(r_low)),
                                          _mm256_add_epi16(y_high, red_of(r_high)));
    const __m256i g = _mm256_packus_epi16(_mm256_add_epi16(y_low, green_of(b_low, r_low)),
                                          _mm256_add_epi16(y_high, green_of(b_high, r_high)));
    const __m256i b = _mm256_packus_epi16(_mm256_add_epi16(y_low, blue_of(b_low)),
                                          _mm256_add_epi16(y_high, blue_of(b_high)));
    store_rgb(dst, r, g, b);
}

AVX2 static void from_ycc(uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr,
                          int32_t count)
{
    int32_t i = 0;
    for (; i + STEP <= count; i += STEP)
        convert_step(dst + 3 * i, y + i, cb + i, cr + i);
    if (i == count) return;
    uint8_t last[3 * STEP];
    convert_step(last, y + i, cb + i, cr + i);
    memcpy(dst + 3 * i, last, 3 * (size_t)(count - i));
}

AVX2 static void join(uint8_t *dst, const uint8_t *r, const uint8_t *g, const uint8_t *b,
                      int32_t count)
{
    uint8_t last[3 * STEP];
    for (int32_t i = 0; i < count; i += STEP) {
        const int32_t left = count - i;
        store_rgb(left < STEP ? last : dst + 3 * i, _mm256_loadu_si256((const __m256i *)(r + i)),
                  _mm256_loadu_si256((const __m256i *)(g + i)),
                  _mm256_loadu_si256((const __m256i *)(b + i)));
        if (left < STEP) memcpy(dst + 3 * i, last, 3 * (size_t)left);
    }
}

const stk_jpeg_colour stk_jpeg_colour_avx2 = {.from_ycc = from_ycc, .join = join};
