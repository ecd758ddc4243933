/* Blending by AVX-512, sixteen levels at a time. As in blend_avx2.c, nothing is fused. */
#include "image/ops/blend.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

enum { LANES = 16 };

WITH_AVX512 static inline __m128i blend(__m128i image, __m128i from, __m512 factor)
{
    const __m512i base = _mm512_cvtepu8_epi32(from);
    const __m512i difference = _mm512_sub_epi32(_mm512_cvtepu8_epi32(image), base);
    const __m512  product = _mm512_mul_ps(factor, _mm512_cvtepi32_ps(difference));
    const __m512  level = _mm512_add_ps(_mm512_cvtepi32_ps(base), product);
    const __m512  clamped =
        _mm512_min_ps(_mm512_max_ps(level, _mm512_setzero_ps()), _mm512_set1_ps(255));
    return _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(clamped));
}

WITH_AVX512 static void run(uint8_t *image, const uint8_t *from, size_t bytes, float factor)
{
    const __m512 times = _mm512_set1_ps(factor);
    size_t       i = 0;
    for (; i + LANES <= bytes; i += LANES) {
        __m128i      *at = (__m128i *)(image + i);
        const __m128i base = _mm_loadu_si128((const __m128i *)(from + i));
        _mm_storeu_si128(at, blend(_mm_loadu_si128(at), base, times));
    }
    const __mmask16 rest = (__mmask16)((1u << (bytes - i)) - 1);
    const __m128i   last = _mm_maskz_loadu_epi8(rest, image + i);
    _mm_mask_storeu_epi8(image + i, rest, blend(last, _mm_maskz_loadu_epi8(rest, from + i), times));
}

stk_blend_fn stk_blend_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") ? run : NULL;
}

#else

stk_blend_fn stk_blend_avx512(void)
{
    return NULL;
}

#endif
