/* Mixing pairs of rows by AVX2. */
#include "image/batch/mix.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

enum { BYTES = 32, FLOATS = 8 };

/* The rounding multiply is the plain kernel's, with its 15 bits. */
WITH_AVX2 static inline void mix_words(__m256i *a, __m256i *b, __m256i fraction)
{
    const __m256i part = _mm256_mulhrs_epi16(_mm256_sub_epi16(*a, *b), fraction);
    const __m256i first = _mm256_add_epi16(*b, part);
    *b = _mm256_sub_epi16(*a, part);
    *a = first;
}

WITH_AVX2 static void mix_u8(uint8_t *a, uint8_t *b, size_t count, int fraction)
{
    const __m256i times = _mm256_set1_epi16((int16_t)fraction), zero = _mm256_setzero_si256();
    size_t        i = 0;
    for (; i + BYTES <= count; i += BYTES) {
        const __m256i as = _mm256_loadu_si256((const __m256i *)(a + i));
        const __m256i bs = _mm256_loadu_si256((const __m256i *)(b + i));
        __m256i a_low = _mm256_unpacklo_epi8(as, zero), a_high = _mm256_unpackhi_epi8(as, zero);
        __m256i b_low = _mm256_unpacklo_epi8(bs, zero), b_high = _mm256_unpackhi_epi8(bs, zero);
        mix_words(&a_low, &b_low, times);
        mix_words(&a_high, &b_high, times);
        _mm256_storeu_si256((__m256i *)(a + i), _mm256_packus_epi16(a_low, a_high));
        _mm256_storeu_si256((__m256i *)(b + i), _mm256_packus_epi16(b_low, b_high));
    }
    stk_mix_u8_plain(a + i, b + i, count - i, fraction);
}

WITH_AVX2 static void mix_f32(float *a, float *b, size_t count, float lambda)
{
    const __m256 kept = _mm256_set1_ps(lambda), rest = _mm256_set1_ps(1 - lambda);
    size_t       i = 0;
    for (; i + FLOATS <= count; i += FLOATS) {
        const __m256 as = _mm256_loadu_ps(a + i), bs = _mm256_loadu_ps(b + i);
        _mm256_storeu_ps(a + i, _mm256_add_ps(_mm256_mul_ps(kept, as), _mm256_mul_ps(rest, bs)));
        _mm256_storeu_ps(b + i, _mm256_add_ps(_mm256_mul_ps(kept, bs), _mm256_mul_ps(rest, as)));
    }
    stk_mix_f32_plain(a + i, b + i, count - i, lambda);
}

stk_mix_u8_fn stk_mix_u8_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? mix_u8 : NULL;
}

stk_mix_f32_fn stk_mix_f32_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? mix_f32 : NULL;
}

#else

stk_mix_u8_fn stk_mix_u8_avx2(void)
{
    return NULL;
}

stk_mix_f32_fn stk_mix_f32_avx2(void)
{
    return NULL;
}

#endif
