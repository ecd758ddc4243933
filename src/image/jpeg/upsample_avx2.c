/* Upsampling, 16 samples of 16 bits a step. */
#include "image/jpeg/jpeg_upsample.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

enum { STEP = 16 };

AVX2 static inline __m256i load(const uint8_t *src)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)src));
}

AVX2 static inline __m256i thrice(__m256i a)
{
    return _mm256_add_epi16(a, _mm256_slli_epi16(a, 1));
}

/* (3 * here + beside + bias) >> bits */
AVX2 static inline __m256i mix(__m256i here3, __m256i beside, int bias, int bits)
{
    return _mm256_srli_epi16(
        _mm256_add_epi16(_mm256_add_epi16(here3, beside), _mm256_set1_epi16((short)bias)), bits);
}

/* Even and odd bytes in 16 bits each, as one row. */
AVX2 static inline void store(uint8_t *dst, __m256i even, __m256i odd)
{
    _mm256_storeu_si256((__m256i *)dst, _mm256_or_si256(even, _mm256_slli_epi16(odd, 8)));
}

AVX2 static void h2v1(uint8_t *dst, const uint8_t *src, int32_t count)
{
    for (int32_t i = 0; i < count; i += STEP) {
        const __m256i here3 = thrice(load(src + i));
        store(dst + 2 * i, mix(here3, load(src + i - 1), 1, 2),
              mix(here3, load(src + i + 1), 2, 2));
    }
}

AVX2 static inline __m256i column(const uint8_t *near, const uint8_t *far)
{
    return _mm256_add_epi16(thrice(load(near)), load(far));
}

AVX2 static void h2v2(uint8_t *dst, const uint8_t *near, const uint8_t *far, int32_t count)
{
    for (int32_t i = 0; i < count; i += STEP) {
        const __m256i here3 = thrice(column(near + i, far + i));
        store(dst + 2 * i, mix(here3, column(near + i - 1, far + i - 1), 8, 4),
              mix(here3, column(near + i + 1, far + i + 1), 7, 4));
    }
}

AVX2 static void h1v2(uint8_t *dst, const uint8_t *near, const uint8_t *far, int32_t count,
                      int bias)
{
    for (int32_t i = 0; i < count; i += STEP) {
        const __m256i sum = mix(thrice(load(near + i)), load(far + i), bias, 2);
        const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(sum, sum), 0xd8);
        _mm_storeu_si128((__m128i *)(dst + i), _mm256_castsi256_si128(bytes));
    }
}

const stk_upsampler stk_upsampler_avx2 = {.h2v1 = h2v1, .h2v2 = h2v2, .h1v2 = h1v2};
