/* Output kernels with AVX2: deinterleaved or padded channels, reversed rows, bytes to floats. */
#include "image/resize/kernels_avx2.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,f16c")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

enum { LANES = 8, ZERO = -1 };

/* The bytes of channel c in 48 loaded as three vectors, as indices into 16. */
AVX2_INLINE __m128i pick_channel(__m128i a, __m128i b, __m128i c, int channel)
{
    int8_t from_a[16], from_b[16], from_c[16];
    for (int i = 0; i < 16; i++) {
        const int at = 3 * i + channel;
        from_a[i] = (int8_t)(at < 16 ? at : ZERO);
        from_b[i] = (int8_t)(at >= 16 && at < 32 ? at - 16 : ZERO);
        from_c[i] = (int8_t)(at >= 32 ? at - 32 : ZERO);
    }
    a = _mm_shuffle_epi8(a, _mm_loadu_si128((const void *)from_a));
    b = _mm_shuffle_epi8(b, _mm_loadu_si128((const void *)from_b));
    c = _mm_shuffle_epi8(c, _mm_loadu_si128((const void *)from_c));
    return _mm_or_si128(a, _mm_or_si128(b, c));
}

AVX2 void stk_split_avx2(const uint8_t *src, size_t pixels, uint8_t *const dst[3])
{
    size_t i = 0;
    for (; i + 16 <= pixels; i += 16) {
        const __m128i a = _mm_loadu_si128((const void *)(src + 3 * i));
        const __m128i b = _mm_loadu_si128((const void *)(src + 3 * i + 16));
        const __m128i c = _mm_loadu_si128((const void *)(src + 3 * i + 32));
        _mm_storeu_si128((void *)(dst[0] + i), pick_channel(a, b, c, 0));
        _mm_storeu_si128((void *)(dst[1] + i), pick_channel(a, b, c, 1));
        _mm_storeu_si128((void *)(dst[2] + i), pick_channel(a, b, c, 2));
    }
    uint8_t *const rest[3] = {dst[0] + i, dst[1] + i, dst[2] + i};
    stk_resize_kernels_plain()->split(src + 3 * i, pixels - i, rest);
}

/* Four pixels at a time out of 16 bytes, as long as 16 can be read. */
AVX2 void stk_pad_avx2(const uint8_t *src, size_t pixels, uint8_t *dst)
{
    const __m128i indices =
        _mm_setr_epi8(0, 1, 2, ZERO, 3, 4, 5, ZERO, 6, 7, 8, ZERO, 9, 10, 11, ZERO);
    size_t i = 0;
    for (; 3 * i + 16 <= 3 * pixels; i += 4) {
        const __m128i four = _mm_loadu_si128((const void *)(src + 3 * i));
        _mm_storeu_si128((void *)(dst + 4 * i), _mm_shuffle_epi8(four, indices));
    }
    stk_resize_kernels_plain()->pad(src + 3 * i, pixels - i, dst + 4 * i);
}

AVX2 void stk_mirror_1_avx2(const uint8_t *src, size_t pixels, uint8_t *dst)
{
    const __m128i indices = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    size_t        i = 0;
    for (; i + 16 <= pixels; i += 16) {
        const __m128i run = _mm_loadu_si128((const void *)(src + pixels - 16 - i));
        _mm_storeu_si128((void *)(dst + i), _mm_shuffle_epi8(run, indices));
    }
    stk_resize_kernels_plain()->mirror[1](src, pixels - i, dst + i);
}

/* Five pixels at a time; the sixteenth byte written is one of the next five, or of the rest. */
AVX2 void stk_mirror_3_avx2(const uint8_t *src, size_t pixels, uint8_t *dst)
{
    const __m128i indices = _mm_setr_epi8(13, 14, 15, 10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3, 0);
    size_t        i = 0;
    for (; i + 6 <= pixels; i += 5) {
        const __m128i run = _mm_loadu_si128((const void *)(src + 3 * (pixels - i) - 16));
        _mm_storeu_si128((void *)(dst + 3 * i), _mm_shuffle_epi8(run, indices));
    }
    stk_resize_kernels_plain()->mirror[3](src, pixels - i, dst + 3 * i);
}

AVX2_INLINE __m256 scale_eight(__m256 values, const stk_pattern *pattern, size_t at)
{
    const __m256 scaled = _mm256_mul_ps(values, _mm256_loadu_ps(pattern->scale + at));
    return _mm256_add_ps(scaled, _mm256_loadu_ps(pattern->offset + at));
}

AVX2_INLINE __m256 load_bytes(const uint8_t *src)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)src)));
}

/* To nearest, halves to even, as stk_bf16_of; the upper halves of eight words. */
AVX2_INLINE __m128i to_bf16_eight(__m256 values)
{
    const __m256i bits = _mm256_castps_si256(values);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
    const __m256i nan = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256  is_nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
    const __m256i kept = _mm256_castps_si256(
        _mm256_blendv_ps(_mm256_castsi256_ps(sum), _mm256_castsi256_ps(nan), is_nan));
    const __m256i high = _mm256_srli_epi32(kept, 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
}

AVX2_INLINE void put_eight(__m256 values, stk_dtype dtype, void *dst)
{
    if (dtype == STK_DTYPE_F32)
        _mm256_storeu_ps(dst, values);
    else if (dtype == STK_DTYPE_F16)
        _mm_storeu_si128(dst, _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
    else
        _mm_storeu_si128(dst, to_bf16_eight(values));
}

AVX2_INLINE void convert_to(const uint8_t *src, size_t count, const stk_pattern *pattern,
                            stk_dtype dtype, uint8_t *dst)
{
    const size_t bytes = dtype == STK_DTYPE_F32 ? 4 : 2;
    size_t       i = 0;
    for (size_t at = 0; i + LANES <= count; i += LANES) {
        put_eight(scale_eight(load_bytes(src + i), pattern, at), dtype, dst + i * bytes);
        at = at + LANES == STK_PATTERN ? 0 : at + LANES;
    }
    if (i == count) return;
    uint8_t rest[LANES] = {0}, out[LANES * 4];
    memcpy(rest, src + i, count - i);
    put_eight(scale_eight(load_bytes(rest), pattern, i % STK_PATTERN), dtype, out);
    memcpy(dst + i * bytes, out, (count - i) * bytes);
}

AVX2 void stk_convert_avx2(const uint8_t *src, size_t count, const stk_pattern *pattern,
                           stk_dtype dtype, void *dst)
{
    if (dtype == STK_DTYPE_F32)
        convert_to(src, count, pattern, STK_DTYPE_F32, dst);
    else if (dtype == STK_DTYPE_F16)
        convert_to(src, count, pattern, STK_DTYPE_F16, dst);
    else
        convert_to(src, count, pattern, STK_DTYPE_BF16, dst);
}

/* As stk_u8_of: no number (which compares with nothing) becomes 0. */
AVX2_INLINE void put_rounded(const float *src, uint8_t *dst)
{
    __m256 values = _mm256_max_ps(_mm256_loadu_ps(src), _mm256_setzero_ps());
    values = _mm256_min_ps(values, _mm256_set1_ps(255));
    const __m256i words = _mm256_cvtps_epi32(values);
    const __m128i shorts =
        _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storel_epi64((void *)dst, _mm_packus_epi16(shorts, shorts));
}

AVX2 static void round_all(const float *src, size_t count, uint8_t *dst)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        put_rounded(src + i, dst + i);
    for (; i < count; i++)
        dst[i] = stk_u8_of(src[i]);
}

AVX2_INLINE void convert_real_to(const float *src, size_t count, const stk_pattern *pattern,
                                 stk_dtype dtype, uint8_t *dst)
{
    const size_t bytes = dtype == STK_DTYPE_F32 ? 4 : 2;
    size_t       i = 0;
    for (size_t at = 0; i + LANES <= count; i += LANES) {
        put_eight(scale_eight(_mm256_loadu_ps(src + i), pattern, at), dtype, dst + i * bytes);
        at = at + LANES == STK_PATTERN ? 0 : at + LANES;
    }
    if (i == count) return;
    float   rest[LANES] = {0};
    uint8_t out[LANES * 4];
    memcpy(rest, src + i, (count - i) * sizeof *src);
    put_eight(scale_eight(_mm256_loadu_ps(rest), pattern, i % STK_PATTERN), dtype, out);
    memcpy(dst + i * bytes, out, (count - i) * bytes);
}

AVX2 void stk_convert_real_avx2(const float *src, size_t count, const stk_pattern *pattern,
                                stk_dtype dtype, void *dst)
{
    if (dtype == STK_DTYPE_U8)
        round_all(src, count, dst);
    else if (dtype == STK_DTYPE_F32)
        convert_real_to(src, count, pattern, STK_DTYPE_F32, dst);
    else if (dtype == STK_DTYPE_F16)
        convert_real_to(src, count, pattern, STK_DTYPE_F16, dst);
    else
        convert_real_to(src, count, pattern, STK_DTYPE_BF16, dst);
}

#endif
