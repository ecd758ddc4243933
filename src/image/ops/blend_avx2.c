/* Blending by AVX2, eight levels at a time. No fused multiply-add: it rounds once where the
 * reference rounds twice. Clamped as floats, since a conversion of large ones gives nonsense. */
#include "image/ops/blend.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

enum { LANES = 8, STEP = 4 * LANES };

WITH_AVX2 static inline __m256i widen(const uint8_t *eight)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)eight));
}

WITH_AVX2 static inline __m256i blend(const uint8_t *image, const uint8_t *from, __m256 factor)
{
    const __m256i base = widen(from);
    const __m256  product =
        _mm256_mul_ps(factor, _mm256_cvtepi32_ps(_mm256_sub_epi32(widen(image), base)));
    const __m256 level = _mm256_add_ps(_mm256_cvtepi32_ps(base), product);
    const __m256 clamped =
        _mm256_min_ps(_mm256_max_ps(level, _mm256_setzero_ps()), _mm256_set1_ps(255));
    return _mm256_cvttps_epi32(clamped);
}

WITH_AVX2 static void run(uint8_t *image, const uint8_t *from, size_t bytes, float factor)
{
    const __m256  times = _mm256_set1_ps(factor);
    const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    size_t        i = 0;
    for (; i + STEP <= bytes; i += STEP) {
        const __m256i a = blend(image + i, from + i, times);
        const __m256i b = blend(image + i + LANES, from + i + LANES, times);
        const __m256i c = blend(image + i + 2 * LANES, from + i + 2 * LANES, times);
        const __m256i d = blend(image + i + 3 * LANES, from + i + 3 * LANES, times);
        const __m256i mixed =
            _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        _mm256_storeu_si256((__m256i *)(image + i), _mm256_permutevar8x32_epi32(mixed, in_order));
    }
    stk_blend_plain(image + i, from + i, bytes - i, factor);
}

stk_blend_fn stk_blend_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? run : NULL;
}

#else

stk_blend_fn stk_blend_avx2(void)
{
    return NULL;
}

#endif
