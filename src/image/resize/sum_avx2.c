/* The vertical pass with AVX2: 32 sums at a time. */
#include "image/resize/kernels_avx2.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

enum { AT_ONCE = 32, LANES = 8 };

/* Packing works on the register's halves separately; the permutation puts the fours in order. */
AVX2_INLINE __m256i pack(const __m256i sums[4], int bits)
{
    const __m256i low =
        _mm256_packs_epi32(_mm256_srai_epi32(sums[0], bits), _mm256_srai_epi32(sums[1], bits));
    const __m256i high =
        _mm256_packs_epi32(_mm256_srai_epi32(sums[2], bits), _mm256_srai_epi32(sums[3], bits));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
}

/* A product, with steps as OpenCV cuts it off. */
AVX2_INLINE __m256i weigh(__m256i row, __m256i weight, bool steps)
{
    if (!steps) return _mm256_mullo_epi32(row, weight);
    return _mm256_srai_epi32(_mm256_mullo_epi32(_mm256_srai_epi32(row, 4), weight), 16);
}

AVX2_INLINE __m256i sum_block(const stk_sum *sum, size_t at, int32_t taps, bool steps)
{
    const int     bits = steps ? STK_STEP_BITS : STK_WEIGHT_BITS;
    const __m256i half = _mm256_set1_epi32(1 << (bits - 1));
    __m256i       sums[4] = {half, half, half, half};
    for (int32_t k = 0; k < taps; k++) {
        const __m256i *row = (const __m256i *)(const void *)(sum->rows[k] + at);
        const __m256i  weight = _mm256_set1_epi32(sum->weights[k].integer);
        for (int i = 0; i < 4; i++)
            sums[i] = _mm256_add_epi32(sums[i], weigh(_mm256_loadu_si256(row + i), weight, steps));
    }
    return pack(sums, bits);
}

AVX2_INLINE void sum_rows(const stk_sum *sum, uint8_t *dst, int32_t taps, bool steps)
{
    size_t i = 0;
    for (; i + AT_ONCE <= sum->count; i += AT_ONCE)
        _mm256_storeu_si256((void *)(dst + i), sum_block(sum, i, taps, steps));
    if (i == sum->count) return;
    uint8_t rest[AT_ONCE];
    _mm256_storeu_si256((void *)rest, sum_block(sum, i, taps, steps));
    memcpy(dst + i, rest, sum->count - i);
}

#define SUM AVX2
#define SUM_INLINE AVX2_INLINE
#define SUM_INTEGER stk_sum_integer_avx2
#define SUM_STEPS stk_sum_steps_avx2
#include "image/resize/sum_few.h"

AVX2 void stk_sum_real_avx2(const stk_sum *sum, float *dst)
{
    for (size_t i = 0; i < sum->count; i += LANES) {
        __m256 total = _mm256_setzero_ps();
        for (int32_t k = 0; k < sum->taps; k++) {
            const __m256 row = _mm256_loadu_ps(&sum->rows[k][i].floating);
            const __m256 weight = _mm256_set1_ps(sum->weights[k].floating);
            total = _mm256_add_ps(total, _mm256_mul_ps(weight, row));
        }
        _mm256_storeu_ps(dst + i, total);
    }
}

#endif
