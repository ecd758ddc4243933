/* Grey by AVX2, 32 pixels at a time. Green's weight does not fit 16 signed bits, so each pixel is
 * two pairs, (R, G) and (G, B), with half of it in both. */
#include "image/ops/luma.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

enum { RED = 19595, HALF_GREEN = 38470 / 2, BLUE = 7471, STEP = 32, QUARTER = 8, SLACK = 2 };

WITH_AVX2 static inline __m256i in_both_lanes(__m128i lane)
{
    return _mm256_broadcastsi128_si256(lane);
}

/* Eight pixels: four in each lane, of which the last 4 bytes are not used. */
WITH_AVX2 static inline __m256i eight(const uint8_t *rgb)
{
    const __m256i red_green =
        in_both_lanes(_mm_setr_epi8(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1));
    const __m256i green_blue =
        in_both_lanes(_mm_setr_epi8(1, -1, 2, -1, 4, -1, 5, -1, 7, -1, 8, -1, 10, -1, 11, -1));
    const __m256i first = _mm256_set1_epi32(RED | HALF_GREEN << 16);
    const __m256i second = _mm256_set1_epi32(HALF_GREEN | BLUE << 16);
    const __m256i in =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)rgb)),
                                _mm_loadu_si128((const __m128i *)(rgb + 12)), 1);
    const __m256i total =
        _mm256_add_epi32(_mm256_madd_epi16(_mm256_shuffle_epi8(in, red_green), first),
                         _mm256_madd_epi16(_mm256_shuffle_epi8(in, green_blue), second));
    return _mm256_srli_epi32(_mm256_add_epi32(total, _mm256_set1_epi32(1 << 15)), 16);
}

/* The last load of a step reads 4 bytes past it, hence the slack. */
WITH_AVX2 static void run(const uint8_t *rgb, uint8_t *grey, size_t pixels)
{
    const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    size_t        i = 0;
    for (; i + STEP + SLACK <= pixels; i += STEP, rgb += 3 * STEP) {
        const __m256i ab = _mm256_packs_epi32(eight(rgb), eight(rgb + 3 * QUARTER));
        const __m256i cd = _mm256_packs_epi32(eight(rgb + 6 * QUARTER), eight(rgb + 9 * QUARTER));
        const __m256i mixed = _mm256_packus_epi16(ab, cd);
        _mm256_storeu_si256((__m256i *)(grey + i), _mm256_permutevar8x32_epi32(mixed, in_order));
    }
    stk_luma_plain(rgb, grey + i, pixels - i);
}

WITH_AVX2 static void spread(const uint8_t *grey, uint8_t *rgb, size_t pixels)
{
    const __m128i first = _mm_setr_epi8(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5);
    const __m128i second = _mm_setr_epi8(5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10);
    const __m128i third =
        _mm_setr_epi8(10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15);
    size_t i = 0;
    for (; i + 16 <= pixels; i += 16, rgb += 48) {
        const __m128i in = _mm_loadu_si128((const __m128i *)(grey + i));
        _mm_storeu_si128((__m128i *)rgb, _mm_shuffle_epi8(in, first));
        _mm_storeu_si128((__m128i *)(rgb + 16), _mm_shuffle_epi8(in, second));
        _mm_storeu_si128((__m128i *)(rgb + 32), _mm_shuffle_epi8(in, third));
    }
    stk_luma_spread_plain(grey + i, rgb, pixels - i);
}

stk_luma_fn stk_luma_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? run : NULL;
}

stk_luma_fn stk_luma_spread_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? spread : NULL;
}

#else

stk_luma_fn stk_luma_avx2(void)
{
    return NULL;
}

stk_luma_fn stk_luma_spread_avx2(void)
{
    return NULL;
}

#endif
