/* A 32-bit lane is a column in the first pass and a row in the second; it holds two of the eight
 * values that are transformed, so that one multiply-add takes both. */
#include "image/jpeg/idct.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

enum { CONSTANT_BITS = 13, PASS_BITS = 2, OUT_BITS = 3 };

/* Values (a, b) of eight columns: (0,4), (2,6), (7,1), (3,5). */
typedef struct pairs {
    __m256i p04, p26, p71, p35;
} pairs;

AVX2 static inline __m256i both(int low, int high)
{
    return _mm256_set1_epi32((int)((uint32_t)(uint16_t)low | (uint32_t)high << 16));
}

/* t0 and t1 are value 0 plus and minus value 4, scaled up, with half of what is shifted out. */
AVX2 static inline void transform_8(__m256i out[8], __m256i t0, __m256i t1, __m256i p26,
                                    __m256i p71, __m256i p35, int bits)
{
    const __m256i t3 = _mm256_madd_epi16(p26, both(10703, 4433));
    const __m256i t2 = _mm256_madd_epi16(p26, both(4433, -10704));
    const __m256i z = _mm256_add_epi16(p71, p35);
    const __m256i u3 = _mm256_madd_epi16(z, both(-6436, 9633));
    const __m256i u4 = _mm256_madd_epi16(z, both(9633, 6437));
    const __m256i odd[4] = {_mm256_add_epi32(_mm256_madd_epi16(p71, both(-7373, 4926)), u4),
                            _mm256_add_epi32(_mm256_madd_epi16(p35, both(4177, -20995)), u3),
                            _mm256_add_epi32(_mm256_madd_epi16(p35, both(-20995, -4176)), u4),
                            _mm256_add_epi32(_mm256_madd_epi16(p71, both(-4927, -7373)), u3)};
    const __m256i even[4] = {_mm256_add_epi32(t0, t3), _mm256_add_epi32(t1, t2),
                             _mm256_sub_epi32(t1, t2), _mm256_sub_epi32(t0, t3)};
    for (int i = 0; i < 4; i++) {
        out[i] = _mm256_srai_epi32(_mm256_add_epi32(even[i], odd[i]), bits);
        out[7 - i] = _mm256_srai_epi32(_mm256_sub_epi32(even[i], odd[i]), bits);
    }
}

/* Two rows of coefficients times their quant: the left halves in the low lane, then the right. */
AVX2 static inline __m256i load_rows(const int16_t *coefficients, const int16_t *quant, int row)
{
    const __m256i c = _mm256_load_si256((const __m256i *)(coefficients + 8 * row));
    const __m256i q = _mm256_load_si256((const __m256i *)(quant + 8 * row));
    return _mm256_permute4x64_epi64(_mm256_mullo_epi16(c, q), 0xd8);
}

/* The first pass. rows[i] gets rows i and i + 4, their left halves in the low lane. */
AVX2 static inline void transform_columns(__m256i rows[4], __m256i r01, __m256i r23, __m256i r45,
                                          __m256i r67)
{
    enum { BITS = CONSTANT_BITS - PASS_BITS };
    /* What lies below a value in 16 bits comes to stand below it when both are scaled up. */
    const __m256i half = _mm256_set1_epi16(1 << (BITS - 1 + 16 - CONSTANT_BITS));
    const __m256i sum = _mm256_add_epi16(r01, r45), difference = _mm256_sub_epi16(r01, r45);
    __m256i       out[8];
    transform_8(out, _mm256_srai_epi32(_mm256_unpacklo_epi16(half, sum), 16 - CONSTANT_BITS),
                _mm256_srai_epi32(_mm256_unpacklo_epi16(half, difference), 16 - CONSTANT_BITS),
                _mm256_unpacklo_epi16(r23, r67), _mm256_unpackhi_epi16(r67, r01),
                _mm256_unpackhi_epi16(r23, r45), BITS);
    for (int i = 0; i < 4; i++)
        rows[i] = _mm256_packs_epi32(out[i], out[i + 4]);
}

/* Rows as the first pass gives them to pairs of columns for the second. */
AVX2 static inline pairs turn_8(const __m256i rows[4])
{
    const __m256i choose = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 8, 9, 4, 5, 12, 13, 14, 15, 2, 3, 6, 7, 10, 11));
    __m256i r[4]; /* rows i and i + 4, a lane each, as pairs */
    for (int i = 0; i < 4; i++)
        r[i] = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(rows[i], 0xd8), choose);
    const __m256i a = _mm256_unpacklo_epi32(r[0], r[1]), b = _mm256_unpacklo_epi32(r[2], r[3]);
    const __m256i c = _mm256_unpackhi_epi32(r[0], r[1]), d = _mm256_unpackhi_epi32(r[2], r[3]);
    return (pairs){_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b),
                   _mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d)};
}

AVX2 static inline void transform_rows(__m256i out[8], pairs in)
{
    enum { BITS = CONSTANT_BITS + PASS_BITS + OUT_BITS };
    const __m256i v0 = _mm256_slli_epi32(in.p04, 16);
    const __m256i v4 = _mm256_and_si256(in.p04, _mm256_set1_epi32((int)0xffff0000));
    const __m256i half = _mm256_set1_epi32(1 << (BITS - 1));
    const __m256i sum = _mm256_srai_epi32(_mm256_add_epi32(v0, v4), 16 - CONSTANT_BITS);
    const __m256i difference = _mm256_srai_epi32(_mm256_sub_epi32(v0, v4), 16 - CONSTANT_BITS);
    transform_8(out, _mm256_add_epi32(sum, half), _mm256_add_epi32(difference, half), in.p26,
                in.p71, in.p35, BITS);
}

AVX2 static inline void store_pair(uint8_t *low, uint8_t *high, __m128i rows)
{
    _mm_storel_epi64((__m128i *)low, rows);
    _mm_storeh_pd((double *)high, _mm_castsi128_pd(rows));
}

/* Columns of the second pass, each 8 lanes, to rows of bytes. */
AVX2 static inline void store_8(uint8_t *dst, size_t stride, const __m256i columns[8])
{
    const __m256i turn = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0,
                                          4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m256i centre = _mm256_set1_epi8(-128);
    __m256i       half[2];
    for (int i = 0; i < 2; i++) {
        const __m256i *c = columns + 4 * i;
        const __m256i  bytes =
            _mm256_packs_epi16(_mm256_packs_epi32(c[0], c[1]), _mm256_packs_epi32(c[2], c[3]));
        half[i] = _mm256_shuffle_epi8(_mm256_xor_si256(bytes, centre), turn);
    }
    const __m256i low = _mm256_unpacklo_epi32(half[0], half[1]); /* rows 0, 1, 4, 5 */
    const __m256i high = _mm256_unpackhi_epi32(half[0], half[1]);
    store_pair(dst, dst + stride, _mm256_castsi256_si128(low));
    store_pair(dst + 2 * stride, dst + 3 * stride, _mm256_castsi256_si128(high));
    dst += 4 * stride;
    store_pair(dst, dst + stride, _mm256_extracti128_si256(low, 1));
    store_pair(dst + 2 * stride, dst + 3 * stride, _mm256_extracti128_si256(high, 1));
}

AVX2 static inline void clear(int16_t *coefficients)
{
    for (int i = 0; i < 4; i++)
        _mm256_store_si256((__m256i *)coefficients + i, _mm256_setzero_si256());
}

/* True when all but the first row, and rows but the skipped, are zero. */
AVX2 static inline int has_rows(const int16_t *coefficients, __m256i rows_4_5)
{
    const __m256i *c = (const __m256i *)coefficients;
    const __m256i  second = _mm256_inserti128_si256(_mm256_load_si256(c), _mm_setzero_si128(), 0);
    const __m256i  any =
        _mm256_or_si256(_mm256_or_si256(second, _mm256_load_si256(c + 1)),
                        _mm256_or_si256(_mm256_and_si256(rows_4_5, _mm256_load_si256(c + 2)),
                                        _mm256_load_si256(c + 3)));
    return !_mm256_testz_si256(any, any);
}

AVX2 static inline void transform_to_8x8(uint8_t *dst, size_t stride, int16_t *coefficients,
                                         const int16_t *quant)
{
    __m256i       rows[4], columns[8];
    const __m256i r01 = load_rows(coefficients, quant, 0);
    if (has_rows(coefficients, _mm256_set1_epi8(-1))) {
        transform_columns(rows, r01, load_rows(coefficients, quant, 2),
                          load_rows(coefficients, quant, 4), load_rows(coefficients, quant, 6));
    } else {
        const __m256i first = _mm256_slli_epi16(r01, PASS_BITS);
        for (int i = 0; i < 4; i++)
            rows[i] = _mm256_unpacklo_epi64(first, first);
    }
    clear(coefficients);
    transform_rows(columns, turn_8(rows));
    store_8(dst, stride, columns);
}

/* One multiply-add for all lanes of a pair and another for those of a second. */
AVX2 static inline __m256i odd_4(__m256i p13, __m256i p57, __m256i c13, __m256i c57)
{
    return _mm256_add_epi32(_mm256_madd_epi16(p13, c13), _mm256_madd_epi16(p57, c57));
}

/* first holds value 0 in its high halves. */
AVX2 static inline void transform_4(__m256i out[4], __m256i first, __m256i p26, __m256i p13,
                                    __m256i p57, int bits)
{
    const __m256i round = _mm256_set1_epi32(1 << (bits - 1));
    const __m256i t0 = _mm256_add_epi32(_mm256_srai_epi32(first, 15 - CONSTANT_BITS), round);
    const __m256i t2 = _mm256_madd_epi16(p26, both(15137, -6270));
    const __m256i o0 = odd_4(p13, p57, both(8697, -17799), both(11893, -1730));
    const __m256i o2 = odd_4(p13, p57, both(20995, 7373), both(-4926, -4176));
    const __m256i e0 = _mm256_add_epi32(t0, t2), e1 = _mm256_sub_epi32(t0, t2);
    out[0] = _mm256_srai_epi32(_mm256_add_epi32(e0, o2), bits);
    out[1] = _mm256_srai_epi32(_mm256_add_epi32(e1, o0), bits);
    out[2] = _mm256_srai_epi32(_mm256_sub_epi32(e1, o0), bits);
    out[3] = _mm256_srai_epi32(_mm256_sub_epi32(e0, o2), bits);
}

AVX2 static inline void store_4(uint8_t *dst, size_t stride, const __m256i columns[4])
{
    const __m128i turn = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m256i words01 = _mm256_packs_epi32(columns[0], columns[1]);
    const __m256i words23 = _mm256_packs_epi32(columns[2], columns[3]);
    const __m128i bytes = _mm256_castsi256_si128(_mm256_packs_epi16(words01, words23));
    const __m128i rows = _mm_shuffle_epi8(_mm_xor_si128(bytes, _mm_set1_epi8(-128)), turn);
    _mm_storeu_si32(dst, rows);
    _mm_storeu_si32(dst + stride, _mm_shuffle_epi32(rows, 1));
    _mm_storeu_si32(dst + 2 * stride, _mm_shuffle_epi32(rows, 2));
    _mm_storeu_si32(dst + 3 * stride, _mm_shuffle_epi32(rows, 3));
}

AVX2 static inline void transform_to_4x4(uint8_t *dst, size_t stride, int16_t *coefficients,
                                         const int16_t *quant)
{
    __m256i       values[4];
    const __m256i r01 = load_rows(coefficients, quant, 0);
    const __m256i not_row_4 = _mm256_inserti128_si256(_mm256_set1_epi8(-1), _mm_setzero_si128(), 0);
    if (has_rows(coefficients, not_row_4)) {
        const __m256i r23 = load_rows(coefficients, quant, 2);
        const __m256i r45 = load_rows(coefficients, quant, 4);
        const __m256i r67 = load_rows(coefficients, quant, 6);
        transform_4(values, _mm256_unpacklo_epi16(_mm256_setzero_si256(), r01),
                    _mm256_unpacklo_epi16(r23, r67), _mm256_unpackhi_epi16(r01, r23),
                    _mm256_unpackhi_epi16(r45, r67), CONSTANT_BITS - PASS_BITS + 1);
    } else {
        const __m256i first = _mm256_slli_epi16(r01, PASS_BITS);
        const __m256i row = _mm256_srai_epi32(_mm256_unpacklo_epi16(first, first), 16);
        for (int i = 0; i < 4; i++)
            values[i] = row;
    }
    clear(coefficients);
    const __m256i choose = _mm256_setr_epi8(-1, -1, 0, 1, 4, 5, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
                                            -1, -1, 0, 1, 4, 5, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    /* Rows 0 and 2, 1 and 3, a lane each; then a lane's four words are (-,0), (2,6), (1,3), (5,7).
     */
    const __m256i r02 = _mm256_shuffle_epi8(
        _mm256_permute4x64_epi64(_mm256_packs_epi32(values[0], values[2]), 0xd8), choose);
    const __m256i r13 = _mm256_shuffle_epi8(
        _mm256_permute4x64_epi64(_mm256_packs_epi32(values[1], values[3]), 0xd8), choose);
    const __m256i low = _mm256_permute4x64_epi64(_mm256_unpacklo_epi32(r02, r13), 0xd8);
    const __m256i high = _mm256_permute4x64_epi64(_mm256_unpackhi_epi32(r02, r13), 0xd8);
    transform_4(values, low, _mm256_permute4x64_epi64(low, 0xee), high,
                _mm256_permute4x64_epi64(high, 0xee), CONSTANT_BITS + PASS_BITS + OUT_BITS + 1);
    store_4(dst, stride, values);
}

AVX2 void stk_idct_8x8_avx2(const stk_idct_job *jobs, int count)
{
    for (int i = 0; i < count; i++)
        transform_to_8x8(jobs[i].dst, jobs[i].stride, jobs[i].coefficients, jobs[i].quant);
}

AVX2 void stk_idct_4x4_avx2(const stk_idct_job *jobs, int count)
{
    for (int i = 0; i < count; i++)
        transform_to_4x4(jobs[i].dst, jobs[i].stride, jobs[i].coefficients, jobs[i].quant);
}
