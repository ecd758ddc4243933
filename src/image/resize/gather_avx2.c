/* The horizontal pass with AVX2. A block is eight sums of 32 bits, four of them (a half) from one
 * load of 16 source bytes: for each tap a shuffle brings the right byte to each sum, widened. */
#include "image/resize/kernels_avx2.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stdlib.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

enum {
    LANES = 8,
    HALF = 4,
    LOAD = 16,             /* bytes a half's shuffle can choose from */
    WINDOW_MAX = 3,        /* taps from one load; with three channels there are seldom more */
    FAR_TAPS = 5,          /* pixels of three channels in one load */
    NONE = (int)0x80808000 /* a shuffle's three upper bytes: zero */
};

/* The conversion of a sum before it is stored. */
typedef enum ending { BYTES, SIGNED_BYTES, INTEGER, REAL } ending;

AVX2_INLINE __m256i add_tap(__m256i sum, __m256i bytes, const void *weights, ending end)
{
    if (end == REAL) {
        const __m256 weight = _mm256_loadu_ps(weights);
        const __m256 product = _mm256_mul_ps(weight, _mm256_cvtepi32_ps(bytes));
        return _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(sum), product));
    }
    return _mm256_add_epi32(sum, _mm256_mullo_epi32(bytes, _mm256_loadu_si256(weights)));
}

AVX2_INLINE __m256i finish(__m256i sum, ending end)
{
    if (end == INTEGER || end == REAL) return sum;
    sum = _mm256_srai_epi32(sum, STK_WEIGHT_BITS);
    if (end == BYTES) return sum;
    sum = _mm256_max_epi32(sum, _mm256_setzero_si256());
    return _mm256_min_epi32(sum, _mm256_set1_epi32(255));
}

AVX2_INLINE __m256i first_sum(ending end)
{
    return _mm256_set1_epi32(end == INTEGER || end == REAL ? 0 : 1 << (STK_WEIGHT_BITS - 1));
}

AVX2_INLINE __m256i load_halves(const uint8_t *low, const uint8_t *high)
{
    const __m128i first = _mm_loadu_si128((const void *)low);
    const __m128i second = _mm_loadu_si128((const void *)high);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

/* Some rows (count) from one on. Taps come in windows, each served by one load of a half. */
AVX2_INLINE void gather_blocks(const stk_row_gather *gather, const stk_row_group *rows, int from,
                               int count, ending end, int32_t window, int32_t windows)
{
    const __m256i *table = (const __m256i *)(const void *)gather->table;
    const int32_t *base = gather->base;
    const size_t step = (size_t)(window * gather->channels), size = (size_t)gather->blocks * LANES;
    const uint8_t *src[STK_ROWS_AT_ONCE];
    stk_sample32  *dst[STK_ROWS_AT_ONCE];
    for (int i = 0; i < count; i++) {
        src[i] = rows->src[from + i];
        dst[i] = rows->dst[from + i];
    }
    for (size_t at = 0; at < size; at += LANES, base += 2) {
        size_t         low = (size_t)base[0], high = (size_t)base[1];
        const __m256i *lanes = table;
        __m256i        sums[STK_ROWS_AT_ONCE], loaded[STK_ROWS_AT_ONCE];
        for (int i = 0; i < count; i++)
            sums[i] = first_sum(end);
        table += window;
        for (int32_t w = 0; w < windows; w++, table += window, low += step, high += step) {
            for (int i = 0; i < count; i++)
                loaded[i] = load_halves(src[i] + low, src[i] + high);
            for (int32_t k = 0; k < window; k++)
                for (int i = 0; i < count; i++)
                    sums[i] =
                        add_tap(sums[i], _mm256_shuffle_epi8(loaded[i], lanes[k]), table + k, end);
        }
        for (int i = 0; i < count; i++)
            _mm256_storeu_si256((void *)(dst[i] + at), finish(sums[i], end));
    }
}

/* one: a single window. */
AVX2_INLINE void gather_rows(const stk_row_gather *gather, const stk_row_group *rows, ending end,
                             int32_t window, bool one)
{
    const int32_t windows = one ? 1 : gather->windows;
    if (rows->count == STK_ROWS_AT_ONCE)
        gather_blocks(gather, rows, 0, STK_ROWS_AT_ONCE, end, window, windows);
    else
        for (int i = 0; i < rows->count; i++)
            gather_blocks(gather, rows, i, 1, end, window, windows);
}

#define GATHER(name, end, window, one)                                                             \
    AVX2 static void name(const stk_row_gather *gather, const stk_row_group *rows)                 \
    {                                                                                              \
        gather_rows(gather, rows, end, window, one);                                               \
    }

GATHER(one_window_2, BYTES, 2, true)
GATHER(one_window_3, BYTES, 3, true)
GATHER(bytes_1, BYTES, 1, false)
GATHER(bytes_2, BYTES, 2, false)
GATHER(bytes_3, BYTES, 3, false)
GATHER(signed_1, SIGNED_BYTES, 1, false)
GATHER(signed_2, SIGNED_BYTES, 2, false)
GATHER(signed_3, SIGNED_BYTES, 3, false)
GATHER(integer_1, INTEGER, 1, false)
GATHER(integer_2, INTEGER, 2, false)
GATHER(integer_3, INTEGER, 3, false)
GATHER(real_1, REAL, 1, false)
GATHER(real_2, REAL, 2, false)
GATHER(real_3, REAL, 3, false)

AVX2_INLINE __m256i shuffle_tap(int32_t tap)
{
    const int32_t at = 3 * tap;
    return _mm256_broadcastsi128_si256(
        _mm_setr_epi32(NONE | at, NONE | (at + 1), NONE | (at + 2), NONE | 0x80));
}

/* Output pixels that lie far apart: one at a time, its three channels and many taps, of two rows in
 * the register's halves (or twice of one). */
AVX2_INLINE void gather_two(const stk_row_gather *gather, const stk_row_group *rows, int from,
                            ending end)
{
    const stk_axis *axis = gather->axis;
    const int32_t  *weight = axis->fixed;
    const int       second = from + 1 < rows->count ? from + 1 : from;
    for (int32_t x = 0; x < axis->count; x++, weight += axis->taps) {
        size_t  at = (size_t)axis->first[x] * 3;
        __m256i sum = first_sum(end);
        for (int32_t done = 0; done < axis->taps; done += FAR_TAPS, at += 3 * FAR_TAPS) {
            const __m256i src = load_halves(rows->src[from] + at, rows->src[second] + at);
            const int32_t now = axis->taps - done < FAR_TAPS ? axis->taps - done : FAR_TAPS;
            for (int32_t k = 0; k < now; k++) {
                const __m256i repeated = _mm256_set1_epi32(weight[done + k]);
                sum = add_tap(sum, _mm256_shuffle_epi8(src, shuffle_tap(k)), &repeated, end);
            }
        }
        sum = finish(sum, end);
        _mm_storeu_si128((void *)(rows->dst[from] + 3 * x), _mm256_castsi256_si128(sum));
        _mm_storeu_si128((void *)(rows->dst[second] + 3 * x), _mm256_extracti128_si256(sum, 1));
    }
}

AVX2_INLINE void gather_far(const stk_row_gather *gather, const stk_row_group *rows, ending end)
{
    for (int i = 0; i < rows->count; i += 2)
        gather_two(gather, rows, i, end);
}

AVX2 static void far_bytes(const stk_row_gather *gather, const stk_row_group *rows)
{
    gather_far(gather, rows, SIGNED_BYTES);
}

AVX2 static void far_integer(const stk_row_gather *gather, const stk_row_group *rows)
{
    gather_far(gather, rows, INTEGER);
}

AVX2 static void far_real(const stk_row_gather *gather, const stk_row_group *rows)
{
    gather_far(gather, rows, REAL);
}

static void arrange_far(stk_row_gather *gather)
{
    const stk_sums_kind arithmetic = gather->axis->arithmetic;
    stk_row_gather_arrange_plain(gather);
    if (gather->channels != 3) return;
    gather->end += 3 * FAR_TAPS + LOAD;
    gather->run = arithmetic == STK_SUMS_BYTES     ? far_bytes
                  : arithmetic == STK_SUMS_INTEGER ? far_integer
                                                   : far_real;
}

/* In steps of 24 sums: three vectors, eight pixels of three channels. */
static size_t blocks_of(const stk_axis *axis, int32_t channels)
{
    const size_t samples = (size_t)axis->count * (size_t)channels, step = LANES * 3;
    return (samples + step - 1) / step * 3;
}

/* Of each block, lanes of one window and weights of all, the last window filled up with 0. */
size_t stk_row_gather_scratch_avx2(const stk_axis *axis, int32_t channels)
{
    const size_t vectors = (size_t)axis->taps + 2 * WINDOW_MAX;
    return blocks_of(axis, channels) * (2 * sizeof(int32_t) + vectors * sizeof(__m256i)) +
           2 * sizeof(__m256i);
}

/* By how much the first pixels of outputs in one half can differ, which is what neighbours (with
 * one channel: third neighbours) do. */
static int32_t widest_half(const stk_row_gather *gather)
{
    const int32_t *first = gather->axis->first, span = gather->channels == 3 ? 1 : HALF - 1;
    const int32_t  last = gather->axis->count - 1;
    int32_t        widest = last > 0 ? abs(first[last] - first[last > span ? last - span : 0]) : 0;
    for (int32_t x = 0; x + span <= last; x++) {
        const int32_t between = abs(first[x + span] - first[x]);
        widest = between > widest ? between : widest;
    }
    return widest;
}

AVX2_INLINE __m128i min_of(__m128i values)
{
    values = _mm_min_epi32(values, _mm_shuffle_epi32(values, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm_min_epi32(values, _mm_shuffle_epi32(values, _MM_SHUFFLE(2, 3, 0, 1)));
}

/* A half's vector number k of the table. */
AVX2_INLINE __m128i *entry_of(const stk_row_gather *gather, size_t half, int32_t k)
{
    const size_t entries = (size_t)(gather->window * (1 + gather->windows));
    return (__m128i *)(void *)gather->table + (half / 2 * entries + (size_t)k) * 2 + half % 2;
}

/* A half's base and lanes. first: of each of its four sums; channel: theirs. */
AVX2_INLINE void arrange_half(const stk_row_gather *gather, size_t half, __m128i first,
                              __m128i channel)
{
    const __m128i channels = _mm_set1_epi32(gather->channels), min = min_of(first);
    __m128i       at = _mm_mullo_epi32(_mm_sub_epi32(first, min), channels);
    at = _mm_or_si128(_mm_add_epi32(at, channel), _mm_set1_epi32(NONE));
    gather->base[half] = _mm_cvtsi128_si32(min) * gather->channels;
    for (int32_t k = 0; k < gather->window; k++, at = _mm_add_epi32(at, channels))
        *entry_of(gather, half, k) = at;
}

typedef struct four_pixels {
    size_t at[HALF]; /* past the row's end: the last one */
} four_pixels;

AVX2_INLINE __m128i pick_four(const int32_t *from, const four_pixels *four, size_t stride)
{
    return _mm_setr_epi32(from[four->at[0] * stride], from[four->at[1] * stride],
                          from[four->at[2] * stride], from[four->at[3] * stride]);
}

/* Tap k of four pixels; weights that are floats are moved all the same. */
AVX2_INLINE __m128i pick_weights(const stk_axis *axis, const four_pixels *four, int32_t k)
{
    return k < axis->taps ? pick_four(axis->fixed + k, four, (size_t)axis->taps)
                          : _mm_setzero_si128();
}

/* Four pixels of three channels are three halves. */
AVX2 static void arrange_colours(const stk_row_gather *gather, size_t half, const four_pixels *four)
{
    const int32_t window = gather->window, taps = window * gather->windows;
    const __m128i first = pick_four(gather->axis->first, four, 1);
    arrange_half(gather, half, _mm_shuffle_epi32(first, _MM_SHUFFLE(1, 0, 0, 0)),
                 _mm_setr_epi32(0, 1, 2, 0));
    arrange_half(gather, half + 1, _mm_shuffle_epi32(first, _MM_SHUFFLE(2, 2, 1, 1)),
                 _mm_setr_epi32(1, 2, 0, 1));
    arrange_half(gather, half + 2, _mm_shuffle_epi32(first, _MM_SHUFFLE(3, 3, 3, 2)),
                 _mm_setr_epi32(2, 0, 1, 2));
    for (int32_t k = 0; k < taps; k++) {
        const __m128i w = pick_weights(gather->axis, four, k);
        *entry_of(gather, half, window + k) = _mm_shuffle_epi32(w, _MM_SHUFFLE(1, 0, 0, 0));
        *entry_of(gather, half + 1, window + k) = _mm_shuffle_epi32(w, _MM_SHUFFLE(2, 2, 1, 1));
        *entry_of(gather, half + 2, window + k) = _mm_shuffle_epi32(w, _MM_SHUFFLE(3, 3, 3, 2));
    }
}

AVX2 static void arrange_greys(const stk_row_gather *gather, size_t half, const four_pixels *four)
{
    const int32_t window = gather->window, taps = window * gather->windows;
    arrange_half(gather, half, pick_four(gather->axis->first, four, 1), _mm_setzero_si128());
    for (int32_t k = 0; k < taps; k++)
        *entry_of(gather, half, window + k) = pick_weights(gather->axis, four, k);
}

static void arrange_all(const stk_row_gather *gather)
{
    const size_t count = (size_t)gather->axis->count, halves = (size_t)gather->blocks * 2;
    const size_t step = (size_t)gather->channels;
    for (size_t half = 0, x = 0; half < halves; half += step, x += HALF) {
        four_pixels four;
        for (size_t i = 0; i < HALF; i++)
            four.at[i] = x + i < count ? x + i : count - 1;
        if (step == 3)
            arrange_colours(gather, half, &four);
        else
            arrange_greys(gather, half, &four);
    }
}

static void choose(stk_row_gather *gather)
{
    typedef void (*run_fn)(const stk_row_gather *, const stk_row_group *);
    static const run_fn runs[][WINDOW_MAX] = {
        [BYTES] = {bytes_1, bytes_2, bytes_3},
        [SIGNED_BYTES] = {signed_1, signed_2, signed_3},
        [INTEGER] = {integer_1, integer_2, integer_3},
        [REAL] = {real_1, real_2, real_3},
    };
    const stk_axis *axis = gather->axis;
    const ending    end = axis->arithmetic == STK_SUMS_FLOAT     ? REAL
                          : axis->arithmetic == STK_SUMS_INTEGER ? INTEGER
                          : axis->signed_weights                 ? SIGNED_BYTES
                                                                 : BYTES;
    gather->run = runs[end][gather->window - 1];
    if (gather->windows == 1 && gather->run == bytes_2) gather->run = one_window_2;
    if (gather->windows == 1 && gather->run == bytes_3) gather->run = one_window_3;
}

/* Windows of that many taps at most; as few as that makes, and then as small as may be. */
static void choose_windows(stk_row_gather *gather, int32_t max)
{
    const int32_t taps = gather->axis->taps, limit = max < WINDOW_MAX ? max : WINDOW_MAX;
    gather->windows = (taps + limit - 1) / limit;
    gather->window = (taps + gather->windows - 1) / gather->windows;
}

void stk_row_gather_arrange_avx2(stk_row_gather *gather)
{
    const int32_t max = LOAD / gather->channels - widest_half(gather);
    if (max < 1) {
        arrange_far(gather);
        return;
    }
    choose_windows(gather, max);
    gather->blocks = (int32_t)blocks_of(gather->axis, gather->channels);
    const size_t entries = (size_t)(gather->window * (1 + gather->windows));
    gather->table = (uint8_t *)(((uintptr_t)gather->scratch + 31) & ~(uintptr_t)31);
    gather->base =
        (int32_t *)(void *)(gather->table + (size_t)gather->blocks * entries * sizeof(__m256i));
    arrange_all(gather);
    stk_row_gather_arrange_plain(gather);
    gather->end += LOAD + (size_t)(WINDOW_MAX * gather->channels);
    choose(gather);
}

#endif
