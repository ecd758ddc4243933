/* Weighted sums by AVX-512: as taps_avx2.c, twice as wide, with a mask at the end. */
#include "image/ops/taps.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_AVX512 __attribute__((target("avx512f,avx512bw")))

enum { LANES = 32 };

WITH_AVX512 static inline __m512i both(const stk_taps *taps, int i, size_t x, __mmask32 mask)
{
    return _mm512_add_epi16(_mm512_maskz_loadu_epi16(mask, taps->before[i] + x),
                            _mm512_maskz_loadu_epi16(mask, taps->after[i] + x));
}

/* An odd last tap meets itself with weight 0. */
WITH_AVX512 static inline __m512i weigh(const stk_taps *taps, size_t x, int shift, __mmask32 mask)
{
    const __m128i by = _mm_cvtsi32_si128(shift);
    __m512i       low = _mm512_set1_epi32(1 << (shift - 1)), high = low;
    for (int i = 0; i < taps->count; i += 2) {
        const int     next = i + 1 < taps->count ? i + 1 : i;
        const int     next_weight = next > i ? taps->weight[next] : 0;
        const __m512i pair = _mm512_set1_epi32((uint16_t)taps->weight[i] | next_weight << 16);
        const __m512i a = both(taps, i, x, mask), b = both(taps, next, x, mask);
        low = _mm512_add_epi32(low, _mm512_madd_epi16(_mm512_unpacklo_epi16(a, b), pair));
        high = _mm512_add_epi32(high, _mm512_madd_epi16(_mm512_unpackhi_epi16(a, b), pair));
    }
    return _mm512_packs_epi32(_mm512_sra_epi32(low, by), _mm512_sra_epi32(high, by));
}

WITH_AVX512 static void run(int16_t *dst, size_t count, const stk_taps *taps, int shift)
{
    size_t x = 0;
    for (; x + LANES <= count; x += LANES)
        _mm512_storeu_si512(dst + x, weigh(taps, x, shift, UINT32_MAX));
    const __mmask32 rest = (1u << (count - x)) - 1;
    _mm512_mask_storeu_epi16(dst + x, rest, weigh(taps, x, shift, rest));
}

stk_taps_fn stk_taps_weigh_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") ? run : NULL;
}

#else

stk_taps_fn stk_taps_weigh_avx512(void)
{
    return NULL;
}

#endif
