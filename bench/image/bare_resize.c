#include "bare_resize.h"

#include <immintrin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHT_BITS = 14, ROW_BYTES = BARE_SIDE * BARE_PIXEL, ROUND = 1 << (WEIGHT_BITS - 1) };

static bool make_room(bare_axis *axis, int taps)
{
    if (taps > axis->scratch) {
        free(axis->weights);
        axis->weights = malloc((size_t)taps * BARE_SIDE * sizeof *axis->weights);
        axis->scratch = axis->weights ? taps : 0;
    }
    axis->taps = taps;
    return axis->weights != NULL;
}

/* Rounded weights do not sum to one by themselves: the largest takes the rest. */
static void set_weights(int16_t *weights, const double *exact, int count, int taps)
{
    double sum = 0;
    int    whole = 0, largest = 0;
    for (int k = 0; k < count; k++)
        sum += exact[k];
    memset(weights, 0, (size_t)taps * sizeof *weights);
    for (int k = 0; k < count; k++) {
        weights[k] = (int16_t)lrint(exact[k] / sum * (1 << WEIGHT_BITS));
        whole += weights[k];
        if (weights[k] > weights[largest]) largest = k;
    }
    weights[largest] = (int16_t)(weights[largest] + (1 << WEIGHT_BITS) - whole);
}

bool bare_axis_set(bare_axis *axis, double begin, double length, int limit)
{
    const double scale = length / BARE_SIDE, support = scale > 1 ? scale : 1;
    const int    low = (int)floor(begin), high = (int)fmin(ceil(begin + length), limit);
    const int    taps = ((int)ceil(support * 2) + 1 + 3) & ~3;
    double       exact[BARE_MOST_TAPS];
    if (taps > BARE_MOST_TAPS || !make_room(axis, taps)) return false;
    for (int i = 0; i < BARE_SIDE; i++) {
        const double centre = begin + (i + 0.5) * scale;
        const int    first = (int)fmax(low, (int)(centre - support + 0.5));
        const int    end = (int)fmin(high, (int)(centre + support + 0.5));
        for (int k = first; k < end; k++)
            exact[k - first] = fmax(0, 1 - fabs((k + 0.5 - centre) / support));
        axis->first[i] = first;
        set_weights(axis->weights + (size_t)i * (size_t)taps, exact, end - first, taps);
    }
    return true;
}

void bare_axis_release(bare_axis *axis)
{
    free(axis->weights);
}

static inline int32_t weight_pair(const int16_t *weights)
{
    int32_t pair;
    memcpy(&pair, weights, sizeof pair);
    return pair;
}

__attribute__((target("avx2"))) void bare_resize_row(const bare_axis *axis, const uint8_t *src,
                                                     uint8_t *dst, bool flip)
{
    const __m128i  pair01 = _mm_setr_epi8(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1);
    const __m128i  pair23 = _mm_add_epi8(pair01, _mm_set1_epi16(8));
    const int16_t *weights = axis->weights;
    const int      step = flip ? -BARE_PIXEL : BARE_PIXEL, taps = axis->taps;
    dst += flip ? ROW_BYTES - BARE_PIXEL : 0;
    for (int i = 0; i < BARE_SIDE; i++, dst += step, weights += taps) {
        const uint8_t *at = src + (size_t)axis->first[i] * BARE_PIXEL;
        __m128i        sum = _mm_set1_epi32(ROUND);
        for (int k = 0; k < taps; k += 4, at += 4 * BARE_PIXEL) {
            const __m128i four = _mm_loadu_si128((const __m128i *)at);
            const __m128i w01 = _mm_set1_epi32(weight_pair(weights + k));
            const __m128i w23 = _mm_set1_epi32(weight_pair(weights + k + 2));
            const __m128i a = _mm_madd_epi16(_mm_shuffle_epi8(four, pair01), w01);
            const __m128i b = _mm_madd_epi16(_mm_shuffle_epi8(four, pair23), w23);
            sum = _mm_add_epi32(sum, _mm_add_epi32(a, b));
        }
        sum = _mm_packs_epi32(_mm_srai_epi32(sum, WEIGHT_BITS), sum);
        const int32_t pixel = _mm_cvtsi128_si32(_mm_packus_epi16(sum, sum));
        memcpy(dst, &pixel, sizeof pixel);
    }
}

/* Four pixels of one result row; the fourth bytes are dropped. Writes 16 bytes, of which 12 count:
 * the next write, or the slack, covers the rest. */
__attribute__((target("avx2"))) static inline void
mix_pixels(const uint8_t *src, const int16_t *weights, int taps, uint8_t *dst)
{
    const __m128i drop = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    __m256i       low = _mm256_set1_epi32(ROUND), high = low;
    for (int k = 0; k < taps; k += 2, src += 2 * (size_t)ROW_BYTES) {
        const __m128i a = _mm_loadu_si128((const __m128i *)src);
        const __m128i b = _mm_loadu_si128((const __m128i *)(src + ROW_BYTES));
        const __m256i w = _mm256_set1_epi32(weight_pair(weights + k));
        const __m256i ab0 = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b));
        const __m256i ab1 = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b));
        low = _mm256_add_epi32(low, _mm256_madd_epi16(ab0, w));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(ab1, w));
    }
    low = _mm256_srai_epi32(low, WEIGHT_BITS);
    high = _mm256_srai_epi32(high, WEIGHT_BITS);
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
    const __m128i bytes =
        _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128((__m128i *)dst, _mm_shuffle_epi8(bytes, drop));
}

/* Taps of weight 0 at the end are left out by whole pairs, so that no row past the last is read. */
static int used_taps(const int16_t *weights, int taps, int rows_left)
{
    while (taps > 2 && (taps > rows_left + 1 || !weight_pair(weights + taps - 2)))
        taps -= 2;
    return taps;
}

void bare_resize_columns(const bare_axis *axis, const uint8_t *src, int rows, uint8_t *dst)
{
    for (int i = 0; i < BARE_SIDE; i++) {
        const int      first = axis->first[i];
        const int16_t *weights = axis->weights + (size_t)i * (size_t)axis->taps;
        const int      taps = used_taps(weights, axis->taps, rows - first);
        const uint8_t *at = src + (size_t)first * ROW_BYTES;
        for (int x = 0; x < BARE_SIDE; x += 4)
            mix_pixels(at + (size_t)x * BARE_PIXEL, weights, taps,
                       dst + ((size_t)i * BARE_SIDE + (size_t)x) * 3);
    }
}
