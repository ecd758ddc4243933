/* Every vector kernel gives the bits of its plain C, on lengths around its steps. */
#include "harness.h"
#include "image/ops/blend.h"
#include "image/ops/hsv.h"
#include "image/ops/luma.h"
#include "image/ops/lut.h"
#include "image/ops/taps.h"

#include "base/philox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Exactly as large as asked for, so that a sanitizer sees a byte too many. */
static uint8_t *random_bytes(size_t count, uint64_t index)
{
    stk_random random = stk_random_for(3, 1, index, 4);
    uint8_t   *out = malloc(count + !count);
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)stk_random_u32(&random);
    return out;
}

static const size_t lengths[] = {0,  1,  2,  15,  16,  17,  31,  32,  33,  34,
                                 63, 64, 65, 127, 128, 129, 191, 192, 193, 1000};

static void compare_lut(stk_lut_fn fn, size_t count, size_t offset)
{
    uint8_t *table = random_bytes(STK_LUT_SIZE, 1), *a = random_bytes(count + offset, 2);
    uint8_t *b = random_bytes(count + offset, 2);
    stk_lut_plain(a + offset, count, table);
    fn(b + offset, count, table);
    EXPECT_MEM_EQ(a, b, count + offset);
    free(table), free(a), free(b);
}

STK_TEST(lut_kernels_agree_with_plain_c)
{
    const stk_lut_fn fns[] = {stk_lut_avx2(), stk_lut_avx512(), stk_lut_apply};
    for (size_t f = 0; f < COUNT_OF(fns); f++)
        for (size_t i = 0; fns[f] && i < COUNT_OF(lengths); i++)
            compare_lut(fns[f], lengths[i], i % 4);
}

static void compare_lut_rgb(stk_lut_rgb_fn fn, size_t pixels)
{
    uint8_t *tables = random_bytes(3 * STK_LUT_SIZE, 1), *a = random_bytes(3 * pixels, 2);
    uint8_t *b = random_bytes(3 * pixels, 2);
    stk_lut_rgb_plain(a, pixels, (const uint8_t(*)[STK_LUT_SIZE])tables);
    fn(b, pixels, (const uint8_t(*)[STK_LUT_SIZE])tables);
    EXPECT_MEM_EQ(a, b, 3 * pixels);
    free(tables), free(a), free(b);
}

STK_TEST(lut_kernels_of_three_channels_agree_with_plain_c)
{
    const stk_lut_rgb_fn fns[] = {stk_lut_rgb_avx512(), stk_lut_apply_rgb};
    for (size_t f = 0; f < COUNT_OF(fns); f++)
        for (size_t i = 0; fns[f] && i < COUNT_OF(lengths); i++)
            compare_lut_rgb(fns[f], lengths[i]);
}

static void compare_blend(stk_blend_fn fn, size_t count, float factor)
{
    uint8_t *from = random_bytes(count, 1), *a = random_bytes(count, 2),
            *b = random_bytes(count, 2);
    stk_blend_plain(a, from, count, factor);
    fn(b, from, count, factor);
    EXPECT_MEM_EQ(a, b, count);
    free(from), free(a), free(b);
}

STK_TEST(blend_kernels_agree_with_plain_c)
{
    const float        factors[] = {0, 1, 0.5f, 0.1f, 1.9f, 1.0000001f, 1000, 1e30f, -3};
    const stk_blend_fn fns[] = {stk_blend_avx2(), stk_blend_avx512(), stk_blend};
    for (size_t f = 0; f < COUNT_OF(fns); f++)
        for (size_t i = 0; fns[f] && i < COUNT_OF(lengths); i++)
            for (size_t k = 0; k < COUNT_OF(factors); k++)
                compare_blend(fns[f], lengths[i], factors[k]);
}

/* All pairs of levels, at factors whose products come close to whole numbers. */
STK_TEST(blend_kernels_agree_on_every_pair_of_levels)
{
    const float        factors[] = {1 / 3.0f, 0.2f, 1.2f, 0.7f, 2 / 255.0f, 1.37f};
    const stk_blend_fn fns[] = {stk_blend_avx2(), stk_blend_avx512()};
    enum { PAIRS = 1 << 16 };
    uint8_t *from = malloc(PAIRS), *a = malloc(PAIRS), *b = malloc(PAIRS);
    for (size_t k = 0; k < COUNT_OF(factors); k++)
        for (size_t f = 0; f < COUNT_OF(fns) && fns[f]; f++) {
            for (int i = 0; i < PAIRS; i++) {
                from[i] = (uint8_t)i;
                a[i] = b[i] = (uint8_t)(i >> 8);
            }
            stk_blend_plain(a, from, PAIRS, factors[k]);
            fns[f](b, from, PAIRS, factors[k]);
            EXPECT_MEM_EQ(a, b, PAIRS);
        }
    free(from), free(a), free(b);
}

static void compare_luma(stk_luma_fn grey, stk_luma_fn spread, size_t pixels)
{
    uint8_t *rgb = random_bytes(3 * pixels, 1), *a = random_bytes(3 * pixels, 2);
    uint8_t *b = random_bytes(3 * pixels, 2);
    stk_luma_plain(rgb, a, pixels);
    grey(rgb, b, pixels);
    EXPECT_MEM_EQ(a, b, 3 * pixels);
    memcpy(b, rgb, 3 * pixels);
    grey(b, b, pixels); /* in place */
    EXPECT_MEM_EQ(a, b, pixels);
    stk_luma_spread_plain(rgb, a, pixels);
    spread(rgb, b, pixels);
    EXPECT_MEM_EQ(a, b, 3 * pixels);
    free(rgb), free(a), free(b);
}

STK_TEST(luma_kernels_agree_with_plain_c)
{
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        if (stk_luma_avx2()) compare_luma(stk_luma_avx2(), stk_luma_spread_avx2(), lengths[i]);
        compare_luma(stk_luma, stk_luma_spread, lengths[i]);
    }
}

STK_TEST(luma_mean_rounds_half_up)
{
    uint8_t          levels[4] = {1, 2, 255, 255};
    const stk_pixels two = {levels, 2, 1, 1, 2}, all = {levels, 4, 1, 1, 4};
    EXPECT_INT_EQ(2, stk_luma_mean(&two));
    EXPECT_INT_EQ(128, stk_luma_mean(&all));
}

static void compare_hsv(stk_hsv_fn fn, size_t pixels, uint8_t steps)
{
    uint8_t *a = random_bytes(3 * pixels, 2), *b = random_bytes(3 * pixels, 2);
    stk_hsv_turn_plain(a, pixels, steps);
    fn(b, pixels, steps);
    EXPECT_MEM_EQ(a, b, 3 * pixels);
    free(a), free(b);
}

STK_TEST(hsv_kernel_agrees_with_plain_c)
{
    const stk_hsv_fn fns[] = {stk_hsv_turn_avx2(), stk_hsv_turn};
    for (size_t f = 0; f < COUNT_OF(fns) && fns[f]; f++) {
        for (size_t i = 0; i < COUNT_OF(lengths); i++)
            compare_hsv(fns[f], lengths[i], (uint8_t)(17 * i));
        compare_hsv(fns[f], 100000, 77);
    }
}

/* One pixel as Pillow's C has it: float here, double there, and round. */
static void turn_like_pillow(uint8_t rgb[3], uint8_t steps)
{
    const int r = rgb[0], g = rgb[1], b = rgb[2];
    const int most = r > g ? (r > b ? r : b) : (g > b ? g : b);
    const int least = r < g ? (r < b ? r : b) : (g < b ? g : b);
    uint8_t   hue = 0, saturation = 0;
    if (most > least) {
        const float range = (float)(most - least);
        const float rc = (float)(most - r) / range, gc = (float)(most - g) / range;
        const float bc = (float)(most - b) / range, s = range / (float)most;
        float       h = r == most ? bc - gc : (float)(g == most ? 2.0 + rc - bc : 4.0 + gc - rc);
        h = (float)fmod(h / 6.0 + 1.0, 1.0);
        hue = (uint8_t)(int)(h * 255.0);
        saturation = (uint8_t)(int)(s * 255.0);
    }
    hue = (uint8_t)(hue + steps);
    const int   sector = (int)floor((float)hue * 6.0 / 255.0);
    const float f = (float)((float)hue * 6.0 / 255.0 - (float)sector);
    const float fs = (float)((float)saturation / 255.0);
    const int   p = (int)round((float)most * (1.0 - fs)),
              q = (int)round((float)most * (1.0 - fs * f));
    const int t = (int)round((float)most * (1.0 - fs * (1.0 - f)));
    const int out[6][3] = {{most, t, p}, {q, most, p}, {p, most, t},
                           {p, q, most}, {t, p, most}, {most, p, q}};
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)out[sector % 6][c];
}

STK_TEST(hsv_is_pillows_for_colours_of_every_kind)
{
    enum { STEP = 3, COLOURS = 86 * 86 * 256 };
    uint8_t *a = malloc(3 * COLOURS), *b = malloc(3 * COLOURS), *at = a;
    for (int red = 0; red < 256; red += STEP)
        for (int green = 0; green < 256; green += STEP)
            for (int blue = 0; blue < 256; blue++, at += 3) {
                at[0] = (uint8_t)red;
                at[1] = (uint8_t)green;
                at[2] = (uint8_t)blue;
            }
    memcpy(b, a, 3 * COLOURS);
    stk_hsv_turn(a, COLOURS, 77);
    for (size_t i = 0; i < COLOURS; i++)
        turn_like_pillow(b + 3 * i, 77);
    EXPECT_MEM_EQ(b, a, 3 * COLOURS);
    free(a), free(b);
}

enum { ROW = 1000 };

static void compare_taps(stk_taps_fn fn, const int16_t *rows, size_t count, int taps, int shift)
{
    stk_taps t = {.count = taps};
    int16_t *a = calloc(count + 1, sizeof *a), *b = calloc(count + 1, sizeof *b);
    for (int i = 0; i < taps; i++) {
        t.before[i] = rows + (STK_TAPS_HALF - i);
        t.after[i] = rows + (STK_TAPS_HALF + i);
        t.weight[i] = (int16_t)((1 << (STK_TAPS_BITS - 1)) / taps);
    }
    stk_taps_weigh_plain(a, count, &t, shift);
    fn(b, count, &t, shift);
    EXPECT_MEM_EQ(a, b, count * sizeof *a);
    EXPECT_INT_EQ(0, b[count]);
    free(a), free(b);
}

STK_TEST(taps_kernels_agree_with_plain_c)
{
    const stk_taps_fn fns[] = {stk_taps_weigh_avx2(), stk_taps_weigh_avx512(), stk_taps_weigh};
    const int         counts[] = {1, 2, 3, 12, STK_TAPS_HALF + 1};
    const int         most[] = {255, 255 << 6}, shifts[] = {8, 20};
    for (int pass = 0; pass < 2; pass++) {
        stk_random random = stk_random_for(1, 1, 1, 1);
        int16_t    rows[ROW + 2 * STK_TAPS_HALF];
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            rows[i] = (int16_t)stk_random_below(&random, (uint64_t)most[pass] + 1);
        for (size_t f = 0; f < COUNT_OF(fns); f++)
            for (size_t i = 0; fns[f] && i < COUNT_OF(lengths); i++)
                for (size_t k = 0; k < COUNT_OF(counts); k++)
                    compare_taps(fns[f], rows, lengths[i], counts[k], shifts[pass]);
    }
}
