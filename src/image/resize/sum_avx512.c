/* The vertical pass with AVX-512: 64 sums at a time, sixteen in a register. */
#include "image/resize/kernels_avx512.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define AVX512_INLINE AVX512 static inline __attribute__((always_inline))

enum { AT_ONCE = 64 };

/* Packing works on the register's quarters separately; the permutation puts the fours in order. */
AVX512_INLINE __m512i pack(const __m512i sums[4], int bits)
{
    const __m512i low =
        _mm512_packs_epi32(_mm512_srai_epi32(sums[0], bits), _mm512_srai_epi32(sums[1], bits));
    const __m512i high =
        _mm512_packs_epi32(_mm512_srai_epi32(sums[2], bits), _mm512_srai_epi32(sums[3], bits));
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(low, high));
}

/* A product, with steps as OpenCV cuts it off. */
AVX512_INLINE __m512i weigh(__m512i row, __m512i weight, bool steps)
{
    if (!steps) return _mm512_mullo_epi32(row, weight);
    return _mm512_srai_epi32(_mm512_mullo_epi32(_mm512_srai_epi32(row, 4), weight), 16);
}

AVX512_INLINE __m512i sum_block(const stk_sum *sum, size_t at, int32_t taps, bool steps)
{
    const int     bits = steps ? STK_STEP_BITS : STK_WEIGHT_BITS;
    const __m512i half = _mm512_set1_epi32(1 << (bits - 1));
    __m512i       sums[4] = {half, half, half, half};
    for (int32_t k = 0; k < taps; k++) {
        const __m512i *row = (const __m512i *)(const void *)(sum->rows[k] + at);
        const __m512i  weight = _mm512_set1_epi32(sum->weights[k].integer);
        for (int i = 0; i < 4; i++)
            sums[i] = _mm512_add_epi32(sums[i], weigh(_mm512_loadu_si512(row + i), weight, steps));
    }
    return pack(sums, bits);
}

AVX512_INLINE void sum_rows(const stk_sum *sum, uint8_t *dst, int32_t taps, bool steps)
{
    size_t i = 0;
    for (; i + AT_ONCE <= sum->count; i += AT_ONCE)
        _mm512_storeu_si512(dst + i, sum_block(sum, i, taps, steps));
    if (i == sum->count) return;
    const __mmask64 rest = ((uint64_t)1 << (sum->count - i)) - 1;
    _mm512_mask_storeu_epi8(dst + i, rest, sum_block(sum, i, taps, steps));
}

#define SUM AVX512
#define SUM_INLINE AVX512_INLINE
#define SUM_INTEGER stk_sum_integer_avx512
#define SUM_STEPS stk_sum_steps_avx512
#include "image/resize/sum_few.h"

#endif
