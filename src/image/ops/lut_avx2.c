/* A table of 256 by AVX2: sixteen shuffles of sixteen bytes. A shuffle gives 0 where the index is
 * negative, so table k is asked for x - 16k and answers for all x >= 16k of its half; it holds the
 * difference (xor) from the table before, and what has been added up at the end is the answer. */
#include "image/ops/lut.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

enum { TABLES = 16, HALF = TABLES / 2, STEP = 32 };

typedef struct differences {
    __m256i table[TABLES];
} differences;

WITH_AVX2 static void prepare(differences *out, const uint8_t table[STK_LUT_SIZE])
{
    for (int k = 0; k < TABLES; k++) {
        const __m128i own = _mm_loadu_si128((const __m128i *)(table + 16 * k));
        const __m128i before = k % HALF ? _mm_loadu_si128((const __m128i *)(table + 16 * (k - 1)))
                                        : _mm_setzero_si128();
        out->table[k] = _mm256_broadcastsi128_si256(_mm_xor_si128(own, before));
    }
}

/* Saturation keeps indices of the other half negative. */
WITH_AVX2 static inline __m256i look_up_half(const __m256i table[HALF], __m256i index)
{
    const __m256i sixteen = _mm256_set1_epi8(16);
    __m256i       found = _mm256_shuffle_epi8(table[0], index);
    for (int k = 1; k < HALF; k++) {
        index = _mm256_subs_epi8(index, sixteen);
        found = _mm256_xor_si256(found, _mm256_shuffle_epi8(table[k], index));
    }
    return found;
}

WITH_AVX2 static inline __m256i look_up(const differences *d, __m256i index)
{
    const __m256i other = _mm256_xor_si256(index, _mm256_set1_epi8((char)0x80));
    return _mm256_or_si256(look_up_half(d->table, index), look_up_half(d->table + HALF, other));
}

WITH_AVX2 static void run(uint8_t *data, size_t bytes, const uint8_t table[STK_LUT_SIZE])
{
    differences d;
    prepare(&d, table);
    size_t i = 0;
    for (; i + STEP <= bytes; i += STEP) {
        __m256i *at = (__m256i *)(data + i);
        _mm256_storeu_si256(at, look_up(&d, _mm256_loadu_si256(at)));
    }
    stk_lut_plain(data + i, bytes - i, table);
}

stk_lut_fn stk_lut_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? run : NULL;
}

#else

stk_lut_fn stk_lut_avx2(void)
{
    return NULL;
}

#endif
