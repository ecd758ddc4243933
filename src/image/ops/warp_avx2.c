/* The channels of a pixel side by side, or four grey pixels; as doubles, since single precision
 * would not give the same bits. */
#include "image/ops/warp_row.h"

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))

/* Four bytes, the last of them the next pixel's. */
AVX2 static inline __m256d load(const uint8_t *pixel)
{
    int32_t bytes;
    memcpy(&bytes, pixel, sizeof bytes);
    return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes)));
}

/* Packing cuts to 0..255. */
AVX2 static inline void store(uint8_t *out, __m256d value, size_t count)
{
    const __m128i integer = _mm256_cvttpd_epi32(value);
    const __m128i words = _mm_packus_epi32(integer, integer);
    const int32_t bytes = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    memcpy(out, &bytes, count);
}

AVX2 static inline __m256d mix(__m256d a, __m256d b, __m256d part)
{
    return _mm256_add_pd(a, _mm256_mul_pd(_mm256_sub_pd(b, a), part));
}

AVX2 static inline __m256d bend(__m256d a, __m256d b, __m256d c, __m256d d, __m256d part)
{
    const __m256d twice = _mm256_mul_pd(_mm256_set1_pd(2), _mm256_sub_pd(a, b));
    const __m256d p2 = _mm256_sub_pd(c, a);
    const __m256d p3 = _mm256_sub_pd(_mm256_add_pd(twice, c), d);
    const __m256d p4 = _mm256_add_pd(_mm256_sub_pd(_mm256_sub_pd(b, a), c), d);
    const __m256d inner = _mm256_add_pd(p3, _mm256_mul_pd(part, p4));
    const __m256d outer = _mm256_add_pd(p2, _mm256_mul_pd(part, inner));
    return _mm256_add_pd(b, _mm256_mul_pd(part, outer));
}

/* The source position of a pixel: the upper left of the middle four, and the fractions. */
typedef struct look {
    const uint8_t *pixel;
    __m256d        dx, dy;
} look;

AVX2 static inline look look_from(const stk_warp_row *row, int32_t i)
{
    const double  at_x = stk_warp_x(row, i) - 0.5, at_y = stk_warp_y(row, i) - 0.5;
    const int32_t x = (int32_t)at_x, y = (int32_t)at_y; /* not below 0: no floor is needed */
    return (look){row->src->data + (size_t)y * row->src->stride + (size_t)x * 3,
                  _mm256_set1_pd(at_x - x), _mm256_set1_pd(at_y - y)};
}

AVX2 void stk_warp_bilinear_avx2(const stk_warp_row *row, int32_t begin, int32_t end)
{
    const size_t stride = row->src->stride;
    for (int32_t i = begin; i < end; i++) {
        const look    at = look_from(row, i);
        const __m256d above = mix(load(at.pixel), load(at.pixel + 3), at.dx);
        const __m256d below = mix(load(at.pixel + stride), load(at.pixel + stride + 3), at.dx);
        store(row->out + (size_t)i * 3, mix(above, below, at.dy), 3);
    }
}

AVX2 static inline __m256d bend_line(const uint8_t *pixel, __m256d part)
{
    return bend(load(pixel - 3), load(pixel), load(pixel + 3), load(pixel + 6), part);
}

AVX2 void stk_warp_bicubic_avx2(const stk_warp_row *row, int32_t begin, int32_t end)
{
    const size_t stride = row->src->stride;
    for (int32_t i = begin; i < end; i++) {
        const look at = look_from(row, i);
        store(row->out + (size_t)i * 3,
              bend(bend_line(at.pixel - stride, at.dx), bend_line(at.pixel, at.dx),
                   bend_line(at.pixel + stride, at.dx), bend_line(at.pixel + 2 * stride, at.dx),
                   at.dy),
              3);
    }
}

/* The source positions of four grey pixels. */
typedef struct looks {
    int32_t x[4], y[4];
    __m256d dx, dy;
} looks;

AVX2 static inline __m256d positions(const double m[3], __m256d x, double y)
{
    const __m256d across = _mm256_mul_pd(_mm256_set1_pd(m[0]), x);
    const __m256d at = _mm256_add_pd(across, _mm256_set1_pd(m[1] * y));
    return _mm256_sub_pd(_mm256_add_pd(at, _mm256_set1_pd(m[2])), _mm256_set1_pd(0.5));
}

/* Splits positions that are not below 0. */
AVX2 static inline __m256d split(__m256d at, int32_t integer[4])
{
    const __m128i below = _mm256_cvttpd_epi32(at);
    _mm_storeu_si128((__m128i *)integer, below);
    return _mm256_sub_pd(at, _mm256_cvtepi32_pd(below));
}

AVX2 static inline looks look_from_four(const stk_warp_row *row, int32_t i)
{
    const __m256d x = _mm256_add_pd(_mm256_set1_pd(i), _mm256_setr_pd(0.5, 1.5, 2.5, 3.5));
    looks         at;
    at.dx = split(positions(row->m, x, row->y), at.x);
    at.dy = split(positions(row->m + 3, x, row->y), at.y);
    return at;
}

/* Four bytes of a line from where each pixel looks, moved by right and down. */
AVX2 static inline __m128i load_four(const stk_pixels *src, const looks *at, int right, int down)
{
    int32_t bytes[4];
    for (int k = 0; k < 4; k++)
        memcpy(&bytes[k],
               src->data + (size_t)(at->y[k] + down) * src->stride + (size_t)(at->x[k] + right), 4);
    return _mm_loadu_si128((const __m128i *)bytes);
}

#define BYTE(bytes, index)                                                                         \
    _mm256_cvtepi32_pd(_mm_and_si128(_mm_srli_epi32(bytes, 8 * (index)), _mm_set1_epi32(255)))

AVX2 void stk_warp_bilinear_grey_avx2(const stk_warp_row *row, int32_t begin, int32_t end)
{
    int32_t i = begin;
    for (; end - i >= 4; i += 4) {
        const looks   at = look_from_four(row, i);
        const __m128i above = load_four(row->src, &at, 0, 0);
        const __m128i below = load_four(row->src, &at, 0, 1);
        store(row->out + i,
              mix(mix(BYTE(above, 0), BYTE(above, 1), at.dx),
                  mix(BYTE(below, 0), BYTE(below, 1), at.dx), at.dy),
              4);
    }
    stk_warp_bilinear(row, i, end);
}

AVX2 void stk_warp_bicubic_grey_avx2(const stk_warp_row *row, int32_t begin, int32_t end)
{
    int32_t i = begin;
    for (; end - i >= 4; i += 4) {
        const looks at = look_from_four(row, i);
        __m256d     lines[4];
        for (int k = 0; k < 4; k++) {
            const __m128i taps = load_four(row->src, &at, -1, k - 1);
            lines[k] = bend(BYTE(taps, 0), BYTE(taps, 1), BYTE(taps, 2), BYTE(taps, 3), at.dx);
        }
        store(row->out + i, bend(lines[0], lines[1], lines[2], lines[3], at.dy), 4);
    }
    stk_warp_bicubic(row, i, end);
}
