/* The horizontal pass with AVX-512. A block is sixteen sums from one load of 64 source bytes: one
 * permutation brings four taps' bytes to each sum, and byte products add them up. Weights have more
 * than eight bits, so that they are taken apart into three signed digits to the base 256. */
#include "image/resize/kernels_avx2.h"
#include "image/resize/kernels_avx512.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stdlib.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")))
#define AVX512_INLINE AVX512 static inline __attribute__((always_inline))

enum {
    LANES = 16,
    LOAD = 64,
    QUAD = 4, /* taps a byte product takes */
    DIGITS = 3,
    FEW_MAX = 3, /* quads that are kept in registers */
    ALIGN = 64
};

AVX512_INLINE __m512i shift_add(__m512i high, __m512i low)
{
    return _mm512_add_epi32(_mm512_slli_epi32(high, 8), low);
}

AVX512_INLINE __m512i finish(__m512i sum, stk_sums_kind arithmetic, bool negative)
{
    if (arithmetic == STK_SUMS_INTEGER) return sum;
    sum = _mm512_srai_epi32(sum, STK_WEIGHT_BITS);
    if (!negative) return sum;
    sum = _mm512_max_epi32(sum, _mm512_setzero_si512());
    return _mm512_min_epi32(sum, _mm512_set1_epi32(255));
}

/* A few quads: the digits one after the other, the highest first, in one sum. */
AVX512_INLINE __m512i sum_few(const uint8_t *src, size_t step, const __m512i *entry, int32_t quads,
                              stk_sums_kind arithmetic)
{
    const int32_t half = arithmetic == STK_SUMS_INTEGER ? 0 : 1 << (STK_WEIGHT_BITS - 1 - 16);
    __m512i       bytes[FEW_MAX], sum = _mm512_set1_epi32(half);
    for (int32_t q = 0; q < quads; q++)
        bytes[q] = _mm512_permutexvar_epi8(entry[0], _mm512_loadu_si512(src + (size_t)q * step));
    for (int d = DIGITS - 1; d >= 0; d--) {
        for (int32_t q = 0; q < quads; q++)
            sum = _mm512_dpbusd_epi32(sum, bytes[q], entry[1 + q * DIGITS + d]);
        if (d) sum = _mm512_slli_epi32(sum, 8);
    }
    return sum;
}

/* Any number of quads: each digit has its sum. */
AVX512_INLINE __m512i sum_many(const uint8_t *src, size_t step, const __m512i *entry, int32_t quads,
                               stk_sums_kind arithmetic)
{
    const int32_t half = arithmetic == STK_SUMS_INTEGER ? 0 : 1 << (STK_WEIGHT_BITS - 1);
    const __m512i lanes = entry[0], *weights = entry + 1;
    __m512i       low = _mm512_set1_epi32(half), middle = _mm512_setzero_si512(), high = middle;
    for (int32_t q = 0; q < quads; q++, src += step, weights += DIGITS) {
        const __m512i bytes = _mm512_permutexvar_epi8(lanes, _mm512_loadu_si512(src));
        low = _mm512_dpbusd_epi32(low, bytes, weights[0]);
        middle = _mm512_dpbusd_epi32(middle, bytes, weights[1]);
        high = _mm512_dpbusd_epi32(high, bytes, weights[2]);
    }
    return shift_add(shift_add(high, middle), low);
}

/* few: quads; 0: any number. */
AVX512_INLINE void gather_blocks(const stk_row_gather *gather, const stk_row_group *rows, int from,
                                 int count, stk_sums_kind arithmetic, bool negative, int32_t few)
{
    const int32_t  quads = few ? few : gather->windows;
    const size_t   step = (size_t)(QUAD * gather->channels), blocks = (size_t)gather->blocks;
    const __m512i *entry = (const __m512i *)(const void *)gather->table;
    const uint8_t *src[STK_ROWS_AT_ONCE];
    stk_sample32  *dst[STK_ROWS_AT_ONCE];
    for (int i = 0; i < count; i++) {
        src[i] = rows->src[from + i];
        dst[i] = rows->dst[from + i];
    }
    for (size_t b = 0; b < blocks; b++, entry += 1 + quads * DIGITS)
        for (int i = 0; i < count; i++) {
            const uint8_t *at = src[i] + gather->base[b];
            const __m512i  sum = few ? sum_few(at, step, entry, few, arithmetic)
                                     : sum_many(at, step, entry, quads, arithmetic);
            _mm512_storeu_si512(dst[i] + b * LANES, finish(sum, arithmetic, negative));
        }
}

AVX512_INLINE void gather_rows(const stk_row_gather *gather, const stk_row_group *rows,
                               stk_sums_kind arithmetic, bool negative, int32_t few)
{
    if (rows->count == STK_ROWS_AT_ONCE)
        gather_blocks(gather, rows, 0, STK_ROWS_AT_ONCE, arithmetic, negative, few);
    else
        for (int i = 0; i < rows->count; i++)
            gather_blocks(gather, rows, i, 1, arithmetic, negative, few);
}

#define GATHER(name, arithmetic, negative, few)                                                    \
    AVX512 static void name(const stk_row_gather *gather, const stk_row_group *rows)               \
    {                                                                                              \
        gather_rows(gather, rows, arithmetic, negative, few);                                      \
    }

GATHER(bytes_1, STK_SUMS_BYTES, false, 1)
GATHER(bytes_2, STK_SUMS_BYTES, false, 2)
GATHER(signed_1, STK_SUMS_BYTES, true, 1)
GATHER(signed_2, STK_SUMS_BYTES, true, 2)
GATHER(signed_3, STK_SUMS_BYTES, true, 3)
GATHER(bytes_many, STK_SUMS_BYTES, true, 0)
GATHER(integer_1, STK_SUMS_INTEGER, false, 1)
GATHER(integer_many, STK_SUMS_INTEGER, false, 0)

static size_t blocks_of(const stk_axis *axis, int32_t channels)
{
    return ((size_t)axis->count * (size_t)channels + LANES - 1) / LANES;
}

static size_t quads_of(const stk_axis *axis)
{
    return ((size_t)axis->taps + QUAD - 1) / QUAD;
}

/* The table (of each block its lanes and its weights' digits), the pixels' digits and the bases
 * follow one another. */
size_t stk_row_gather_scratch_avx512(const stk_axis *axis, int32_t channels)
{
    const size_t quads = quads_of(axis), block = sizeof(int32_t) + (1 + quads * DIGITS) * LOAD;
    const size_t bytes = blocks_of(axis, channels) * block +
                         (size_t)axis->count * quads * sizeof(__m128i) + 2 * ALIGN;
    const size_t other = stk_row_gather_scratch_avx2(axis, channels);
    return bytes > other ? bytes : other;
}

/* By how much the first pixels of outputs in one block can differ. */
static int32_t widest_block(const stk_row_gather *gather)
{
    const int32_t *first = gather->axis->first,
                  span = gather->channels == 3 ? LANES / 3 : LANES - 1;
    const int32_t last = gather->axis->count - 1;
    int32_t       widest = abs(first[last] - first[last > span ? last - span : 0]);
    for (int32_t x = 0; x + span <= last; x++) {
        const int32_t between = abs(first[x + span] - first[x]);
        widest = between > widest ? between : widest;
    }
    return widest;
}

/* Four taps' digits as a vector: the four lowest, the four middle, the four highest ones. Adding
 * 128 to a byte carries into the next what its digit will lack; the exclusive or takes it back. */
AVX512_INLINE __m128i split_digits(__m128i weights)
{
    const __m128i bias = _mm_set1_epi32(0x8080);
    const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm_shuffle_epi8(_mm_xor_si128(_mm_add_epi32(weights, bias), bias), order);
}

AVX512 static void split_weights(const stk_axis *axis, __m128i *digits)
{
    const size_t   quads = quads_of(axis), taps = (size_t)axis->taps;
    const __mmask8 last = (__mmask8)(0xF >> (quads * QUAD - taps));
    for (size_t x = 0; x < (size_t)axis->count; x++)
        for (size_t q = 0; q < quads; q++) {
            const int32_t *from = axis->fixed + x * taps + q * QUAD;
            *digits++ = split_digits(_mm_maskz_loadu_epi32(q + 1 < quads ? 0xF : last, from));
        }
}

/* The output pixels of a block's lanes, and their channels. */
AVX512_INLINE void set_lanes(const stk_row_gather *gather, int32_t block, __m512i *pixel,
                             __m512i *channel)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const int32_t begin = block * LANES / gather->channels, rest = block * LANES % gather->channels;
    const __m512i last = _mm512_set1_epi32(gather->axis->count - 1);
    __m512i       in = _mm512_add_epi32(lane, _mm512_set1_epi32(rest)), past = in;
    if (gather->channels == 3) /* a third, for numbers as small as these */
        past = _mm512_srli_epi32(_mm512_mullo_epi32(in, _mm512_set1_epi32(171)), 9);
    const __m512i channels = _mm512_set1_epi32(gather->channels);
    *channel = _mm512_sub_epi32(in, _mm512_mullo_epi32(past, channels));
    *pixel = _mm512_min_epi32(_mm512_add_epi32(past, _mm512_set1_epi32(begin)), last);
}

AVX512 static void arrange_block(stk_row_gather *gather, int32_t block, const __m128i *digits)
{
    const int32_t quads = gather->windows, channels = gather->channels;
    __m512i      *entry =
        (__m512i *)(void *)gather->table + (size_t)block * (size_t)(1 + quads * DIGITS);
    __m512i pixel, channel;
    set_lanes(gather, block, &pixel, &channel);
    const __m512i first = _mm512_i32gather_epi32(pixel, gather->axis->first, 4);
    const int32_t min = _mm512_reduce_min_epi32(first);
    __m512i       at = _mm512_sub_epi32(first, _mm512_set1_epi32(min));
    at = _mm512_add_epi32(_mm512_mullo_epi32(at, _mm512_set1_epi32(channels)), channel);
    at = _mm512_mullo_epi32(at, _mm512_set1_epi32(0x01010101));
    *entry++ = _mm512_add_epi32(at, _mm512_set1_epi32(0x03020100 * channels));
    gather->base[block] = min * channels;
    const __m512i record = _mm512_mullo_epi32(pixel, _mm512_set1_epi32(quads * QUAD));
    for (int32_t q = 0; q < quads; q++)
        for (int32_t d = 0; d < DIGITS; d++)
            *entry++ =
                _mm512_i32gather_epi32(record, (const int32_t *)(const void *)(digits + q) + d, 4);
}

static void choose(stk_row_gather *gather)
{
    const stk_axis *axis = gather->axis;
    if (axis->arithmetic == STK_SUMS_INTEGER)
        gather->run = gather->windows == 1 ? integer_1 : integer_many;
    else if (gather->windows > FEW_MAX)
        gather->run = bytes_many;
    else if (axis->signed_weights)
        gather->run = gather->windows == 1 ? signed_1 : gather->windows == 2 ? signed_2 : signed_3;
    else
        gather->run = gather->windows == 1 ? bytes_1 : gather->windows == 2 ? bytes_2 : signed_3;
}

void stk_row_gather_arrange_avx512(stk_row_gather *gather)
{
    const stk_axis *axis = gather->axis;
    const bool      fits = widest_block(gather) + QUAD <= LOAD / gather->channels;
    if (axis->arithmetic == STK_SUMS_FLOAT || !fits) {
        stk_row_gather_arrange_avx2(gather);
        return;
    }
    const size_t blocks = blocks_of(axis, gather->channels), quads = quads_of(axis);
    gather->blocks = (int32_t)blocks;
    gather->window = QUAD;
    gather->windows = (int32_t)quads;
    gather->table = (uint8_t *)(((uintptr_t)gather->scratch + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
    uint8_t *const digits = gather->table + blocks * (1 + quads * DIGITS) * LOAD;
    gather->base = (int32_t *)(void *)(digits + (size_t)axis->count * quads * sizeof(__m128i));
    split_weights(axis, (__m128i *)(void *)digits);
    for (int32_t b = 0; b < gather->blocks; b++)
        arrange_block(gather, b, (const __m128i *)(const void *)digits);
    stk_row_gather_arrange_plain(gather);
    gather->end += LOAD;
    choose(gather);
}

#endif
