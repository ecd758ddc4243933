/* Weighted sums by AVX2: two taps meet in one multiply-and-add of pairs. */
#include "image/ops/taps.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

enum { LANES = 16 };

WITH_AVX2 static inline __m256i both(const stk_taps *taps, int i, size_t x)
{
    return _mm256_add_epi16(_mm256_loadu_si256((const __m256i *)(taps->before[i] + x)),
                            _mm256_loadu_si256((const __m256i *)(taps->after[i] + x)));
}

/* An odd last tap meets itself with weight 0. */
WITH_AVX2 static inline __m256i weigh(const stk_taps *taps, size_t x, int shift)
{
    __m256i low = _mm256_set1_epi32(1 << (shift - 1)), high = low;
    for (int i = 0; i < taps->count; i += 2) {
        const int     next = i + 1 < taps->count ? i + 1 : i;
        const int     next_weight = next > i ? taps->weight[next] : 0;
        const __m256i pair = _mm256_set1_epi32((uint16_t)taps->weight[i] | next_weight << 16);
        const __m256i a = both(taps, i, x), b = both(taps, next, x);
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), pair));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), pair));
    }
    return _mm256_packs_epi32(_mm256_srai_epi32(low, shift), _mm256_srai_epi32(high, shift));
}

WITH_AVX2 static void run(int16_t *dst, size_t count, const stk_taps *taps, int shift)
{
    size_t x = 0;
    for (; x + LANES <= count; x += LANES)
        _mm256_storeu_si256((__m256i *)(dst + x), weigh(taps, x, shift));
    if (x == count) return;
    stk_taps rest = *taps;
    for (int i = 0; i < taps->count; i++) {
        rest.before[i] += x;
        rest.after[i] += x;
    }
    stk_taps_weigh_plain(dst + x, count - x, &rest, shift);
}

stk_taps_fn stk_taps_weigh_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? run : NULL;
}

#else

stk_taps_fn stk_taps_weigh_avx2(void)
{
    return NULL;
}

#endif
