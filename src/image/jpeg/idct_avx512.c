/* Two blocks at a time, one in each half of a register: a block alone is a chain of steps that wait
 * for each other. The steps are those of idct_avx2.c. */
#include "image/jpeg/idct.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

enum { CONSTANT_BITS = 13, PASS_BITS = 2, OUT_BITS = 3, SAFE_MAX = 8191 };

AVX512 static inline __m512i both(int low, int high)
{
    return _mm512_set1_epi32((int)((uint32_t)(uint16_t)low | (uint32_t)high << 16));
}

AVX512 static inline __m512i join(const int16_t *low, const int16_t *high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_load_si256((const __m256i *)low)),
                              _mm256_load_si256((const __m256i *)high), 1);
}

AVX512 static inline void transform(__m512i out[8], __m512i t0, __m512i t1, __m512i p26,
                                    __m512i p71, __m512i p35, int bits)
{
    const __m512i t3 = _mm512_madd_epi16(p26, both(10703, 4433));
    const __m512i t2 = _mm512_madd_epi16(p26, both(4433, -10704));
    const __m512i z = _mm512_add_epi16(p71, p35);
    const __m512i u3 = _mm512_madd_epi16(z, both(-6436, 9633));
    const __m512i u4 = _mm512_madd_epi16(z, both(9633, 6437));
    const __m512i odd[4] = {_mm512_add_epi32(_mm512_madd_epi16(p71, both(-7373, 4926)), u4),
                            _mm512_add_epi32(_mm512_madd_epi16(p35, both(4177, -20995)), u3),
                            _mm512_add_epi32(_mm512_madd_epi16(p35, both(-20995, -4176)), u4),
                            _mm512_add_epi32(_mm512_madd_epi16(p71, both(-4927, -7373)), u3)};
    const __m512i even[4] = {_mm512_add_epi32(t0, t3), _mm512_add_epi32(t1, t2),
                             _mm512_sub_epi32(t1, t2), _mm512_sub_epi32(t0, t3)};
    for (int i = 0; i < 4; i++) {
        out[i] = _mm512_srai_epi32(_mm512_add_epi32(even[i], odd[i]), (unsigned)bits);
        out[7 - i] = _mm512_srai_epi32(_mm512_sub_epi32(even[i], odd[i]), (unsigned)bits);
    }
}

/* r[i] are rows 2 i and 2 i + 1, their left halves in the low lane of each half. */
AVX512 static inline void transform_columns(__m512i rows[4], const __m512i r[4])
{
    enum { BITS = CONSTANT_BITS - PASS_BITS };
    const __m512i half = _mm512_set1_epi16(1 << (BITS - 1 + 16 - CONSTANT_BITS));
    const __m512i sum = _mm512_add_epi16(r[0], r[2]), difference = _mm512_sub_epi16(r[0], r[2]);
    __m512i       out[8];
    transform(out, _mm512_srai_epi32(_mm512_unpacklo_epi16(half, sum), 16 - CONSTANT_BITS),
              _mm512_srai_epi32(_mm512_unpacklo_epi16(half, difference), 16 - CONSTANT_BITS),
              _mm512_unpacklo_epi16(r[1], r[3]), _mm512_unpackhi_epi16(r[3], r[0]),
              _mm512_unpackhi_epi16(r[1], r[2]), BITS);
    for (int i = 0; i < 4; i++)
        rows[i] = _mm512_packs_epi32(out[i], out[i + 4]);
}

AVX512 static inline void transform_rows(__m512i out[8], const __m512i rows[4])
{
    enum { BITS = CONSTANT_BITS + PASS_BITS + OUT_BITS };
    const __m512i choose =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 8, 9, 4, 5, 12, 13, 14, 15, 2, 3, 6, 7, 10, 11));
    const __m512i half = _mm512_set1_epi32(1 << (BITS - 1));
    __m512i       r[4];
    for (int i = 0; i < 4; i++)
        r[i] = _mm512_shuffle_epi8(_mm512_permutex_epi64(rows[i], 0xd8), choose);
    const __m512i a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpacklo_epi32(r[2], r[3]);
    const __m512i c = _mm512_unpackhi_epi32(r[0], r[1]), d = _mm512_unpackhi_epi32(r[2], r[3]);
    const __m512i p04 = _mm512_unpacklo_epi64(a, b);
    const __m512i v0 = _mm512_slli_epi32(p04, 16);
    const __m512i v4 = _mm512_and_si512(p04, _mm512_set1_epi32((int)0xffff0000));
    const __m512i sum = _mm512_srai_epi32(_mm512_add_epi32(v0, v4), 16 - CONSTANT_BITS);
    const __m512i difference = _mm512_srai_epi32(_mm512_sub_epi32(v0, v4), 16 - CONSTANT_BITS);
    transform(out, _mm512_add_epi32(sum, half), _mm512_add_epi32(difference, half),
              _mm512_unpackhi_epi64(a, b), _mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d),
              BITS);
}

AVX512 static inline void store_pair(uint8_t *low, size_t stride, __m128i rows)
{
    _mm_storel_epi64((__m128i *)low, rows);
    _mm_storeh_pd((double *)(low + stride), _mm_castsi128_pd(rows));
}

/* Rows 0, 1, 4, 5 and 2, 3, 6, 7 of a block. */
AVX512 static inline void store_block(const stk_idct_job *job, __m256i low, __m256i high)
{
    uint8_t     *dst = job->dst;
    const size_t stride = job->stride;
    store_pair(dst, stride, _mm256_castsi256_si128(low));
    store_pair(dst + 2 * stride, stride, _mm256_castsi256_si128(high));
    dst += 4 * stride;
    store_pair(dst, stride, _mm256_extracti128_si256(low, 1));
    store_pair(dst + 2 * stride, stride, _mm256_extracti128_si256(high, 1));
}

AVX512 static inline void store_both(const stk_idct_job *jobs, const __m512i columns[8])
{
    const __m512i turn =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m512i half[2];
    for (int i = 0; i < 2; i++) {
        const __m512i *c = columns + 4 * i;
        const __m512i  bytes =
            _mm512_packs_epi16(_mm512_packs_epi32(c[0], c[1]), _mm512_packs_epi32(c[2], c[3]));
        half[i] = _mm512_shuffle_epi8(_mm512_xor_si512(bytes, _mm512_set1_epi8(-128)), turn);
    }
    const __m512i low = _mm512_unpacklo_epi32(half[0], half[1]);
    const __m512i high = _mm512_unpackhi_epi32(half[0], half[1]);
    store_block(&jobs[0], _mm512_castsi512_si256(low), _mm512_castsi512_si256(high));
    store_block(&jobs[1], _mm512_extracti64x4_epi64(low, 1), _mm512_extracti64x4_epi64(high, 1));
}

AVX512 static inline void clear(int16_t *coefficients)
{
    _mm512_store_si512(coefficients, _mm512_setzero_si512());
    _mm512_store_si512(coefficients + 32, _mm512_setzero_si512());
}

/* False, and nothing is done, when a first row is so large that it matters to the bits whether
 * there are others. */
AVX512 static inline int transform_both(const stk_idct_job *jobs)
{
    int16_t *const a = jobs[0].coefficients, *const b = jobs[1].coefficients;
    __m512i r[4], rows[4], columns[8];
    for (int i = 0; i < 4; i++)
        r[i] = _mm512_mullo_epi16(join(a + 16 * i, b + 16 * i),
                                  join(jobs[0].quant + 16 * i, jobs[1].quant + 16 * i));
    if (_mm512_cmpgt_epu16_mask(_mm512_abs_epi16(r[0]), _mm512_set1_epi16(SAFE_MAX))) return 0;
    for (int i = 0; i < 4; i++)
        r[i] = _mm512_permutex_epi64(r[i], 0xd8);
    clear(a);
    clear(b);
    transform_columns(rows, r);
    transform_rows(columns, rows);
    store_both(jobs, columns);
    return 1;
}

AVX512 void stk_idct_8x8_avx512(const stk_idct_job *jobs, int count)
{
    int i = 0;
    for (; i + 1 < count; i += 2)
        if (!transform_both(jobs + i)) stk_idct_8x8_avx2(jobs + i, 2);
    if (i < count) stk_idct_8x8_avx2(jobs + i, 1);
}
