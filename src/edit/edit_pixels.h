/* The pixel arithmetic of edits, shared by all kernels, also on GPUs: products are not fused with
 * sums, so all are bit-identical. For any content of an edit, no access is outside of its images.
 */
#ifndef STK_EDIT_EDIT_PIXELS_H
#define STK_EDIT_EDIT_PIXELS_H

#include "edit/edit.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __CUDACC__
#define STK_EDIT_INLINE static __host__ __device__ __forceinline__
#else
#define STK_EDIT_INLINE static inline
#endif

enum { STK_EDIT_MIX_BITS = 15 };

STK_EDIT_INLINE float stk_edit_times(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

STK_EDIT_INLINE double stk_edit_times_exact(double a, double b)
{
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

typedef struct stk_edit_pixel {
    int32_t level[3]; /* only the first for one channel */
} stk_edit_pixel;

STK_EDIT_INLINE stk_edit_pixel stk_edit_colour(int32_t colour)
{
    stk_edit_pixel pixel;
    for (int c = 0; c < 3; c++)
        pixel.level[c] = colour >> (8 * c) & 255;
    return pixel;
}

/* The row or column that a position outside maps to; -1: the border's colour. */
STK_EDIT_INLINE int32_t stk_edit_place(int64_t at, int32_t size, int32_t border)
{
    if (at >= 0 && at < size) return (int32_t)at;
    if (border != STK_EDIT_EDGE && border != STK_EDIT_REFLECT) return -1;
    if (border == STK_EDIT_EDGE || size == 1) return at < 0 ? 0 : size - 1;
    const int64_t period = 2 * ((int64_t)size - 1);
    const int64_t past = (at % period + period) % period;
    return (int32_t)(past < size ? past : period - past);
}

/* from + factor * (level - from), cut off to whole levels. */
STK_EDIT_INLINE int32_t stk_edit_blend(int32_t from, int32_t level, float factor)
{
    const float blended = (float)from + stk_edit_times(factor, (float)(level - from));
    return blended >= 255 ? 255 : blended > 0 ? (int32_t)blended : 0;
}

STK_EDIT_INLINE int32_t stk_edit_grey(stk_edit_pixel p)
{
    return (p.level[0] * 19595 + p.level[1] * 38470 + p.level[2] * 7471 + (1 << 15)) >> 16;
}

STK_EDIT_INLINE int32_t stk_edit_max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

STK_EDIT_INLINE int32_t stk_edit_min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

typedef struct stk_edit_hsv {
    int32_t hue, saturation, value; /* 0 to 255 */
} stk_edit_hsv;

/* As image/ops/hsv.c has it, with double where it has double. */
STK_EDIT_INLINE stk_edit_hsv stk_edit_to_hsv(stk_edit_pixel p)
{
    const int32_t r = p.level[0], g = p.level[1], b = p.level[2];
    const int32_t max = stk_edit_max(r, stk_edit_max(g, b));
    const int32_t spread = max - stk_edit_min(r, stk_edit_min(g, b));
    const float   range = (float)stk_edit_max(spread, 1);
    const float   saturation = (float)spread / (float)stk_edit_max(max, 1);
    const int32_t base = r == max ? 0 : g == max ? 2 : 4;
    const int32_t next = r == max ? b : g == max ? r : g;
    const int32_t last = r == max ? g : g == max ? b : r;
    const float   from_next = (float)(max - next) / range, from_last = (float)(max - last) / range;
    const float   around = (float)((double)base + (double)from_next - (double)from_last);
    const double  past_one = (double)around / 6.0 + 1.0;
    const float   hue = (float)(past_one - (double)(int32_t)past_one);
    const stk_edit_hsv hsv = {(int32_t)((double)hue * 255.0),
                              (int32_t)stk_edit_times(saturation, 255), max};
    return hsv;
}

/* value * (1 - saturation * along), rounded. */
STK_EDIT_INLINE int32_t stk_edit_paler(float value, float saturation, float along)
{
    return (int32_t)(stk_edit_times(value, 1 - stk_edit_times(saturation, along)) + 0.5f);
}

STK_EDIT_INLINE stk_edit_pixel stk_edit_of_hsv(stk_edit_hsv hsv)
{
    const int32_t  sixths = 6 * hsv.hue, sector = sixths / 255, at = sector % 6;
    const float    along = (float)(sixths - 255 * sector) / 255, value = (float)hsv.value;
    const float    saturation = (float)hsv.saturation / 255;
    const int32_t  low = stk_edit_paler(value, saturation, 1);
    const int32_t  falling = stk_edit_paler(value, saturation, along);
    const int32_t  rising = stk_edit_paler(value, saturation, 1 - along);
    stk_edit_pixel p;
    p.level[0] = at == 0 || at == 5 ? hsv.value : at == 1 ? falling : at == 4 ? rising : low;
    p.level[1] = at == 1 || at == 2 ? hsv.value : at == 3 ? falling : at == 0 ? rising : low;
    p.level[2] = at == 3 || at == 4 ? hsv.value : at == 5 ? falling : at == 2 ? rising : low;
    return p;
}

STK_EDIT_INLINE stk_edit_pixel stk_edit_turn(stk_edit_pixel p, float shift)
{
    const double steps = stk_edit_times_exact((double)shift, 255);
    stk_edit_hsv hsv = stk_edit_to_hsv(p);
    hsv.hue = (hsv.hue + (steps > -256 && steps < 256 ? (int32_t)steps : 0)) & 255;
    return stk_edit_of_hsv(hsv);
}

STK_EDIT_INLINE bool stk_edit_is_in(const int32_t box[4], int32_t x, int32_t y)
{
    return x >= box[0] && x < (int64_t)box[0] + box[2] && y >= box[1] &&
           y < (int64_t)box[1] + box[3];
}

STK_EDIT_INLINE stk_edit_pixel stk_edit_saturate(stk_edit_pixel p, float factor)
{
    const int32_t grey = stk_edit_grey(p);
    for (int c = 0; c < 3; c++)
        p.level[c] = stk_edit_blend(grey, p.level[c], factor);
    return p;
}

STK_EDIT_INLINE int32_t stk_edit_level(const stk_edit_op *step, int32_t level, int32_t mean)
{
    switch (step->kind) {
    case STK_EDIT_BRIGHTNESS:
        return stk_edit_blend(0, level, step->number[0]);
    case STK_EDIT_CONTRAST:
        return stk_edit_blend(mean, level, step->number[0]);
    case STK_EDIT_INVERT:
        return 255 - level;
    case STK_EDIT_SOLARIZE:
        return level < step->word[0] ? level : 255 - level;
    case STK_EDIT_POSTERIZE:
        return level & (0xff00 >> stk_edit_max(0, stk_edit_min(step->word[0], 8)));
    default:
        return level;
    }
}

/* An op on a single pixel; mean: of the image's grey, for contrast. */
STK_EDIT_INLINE stk_edit_pixel stk_edit_paint(const stk_edit_op *step, stk_edit_pixel p,
                                              int32_t channels, int32_t mean, int32_t x, int32_t y)
{
    const bool coloured = channels == 3;
    switch (step->kind) {
    case STK_EDIT_ERASE:
        return stk_edit_is_in(step->word, x, y) ? stk_edit_colour(step->word[4]) : p;
    case STK_EDIT_SATURATION:
        return coloured ? stk_edit_saturate(p, step->number[0]) : p;
    case STK_EDIT_GREY:
        return coloured ? stk_edit_saturate(p, 0) : p;
    case STK_EDIT_HUE:
        return coloured ? stk_edit_turn(p, step->number[0]) : p;
    default:
        for (int c = 0; c < 3; c++)
            p.level[c] = stk_edit_level(step, p.level[c], mean);
        return p;
    }
}

/* The mean grey of count pixels, rounded half up. */
STK_EDIT_INLINE int32_t stk_edit_mean(uint64_t sum, uint64_t count)
{
    return (int32_t)((2 * sum + count) / (2 * count));
}

/* fraction of mine and the rest of the partner's. The rounding of a pair is complementary: the
 * first row rounds for both. */
STK_EDIT_INLINE int32_t stk_edit_mix(int32_t mine, int32_t other, int32_t fraction, bool is_first)
{
    const int32_t difference = is_first ? mine - other : other - mine;
    const int32_t part =
        (difference * fraction + (1 << (STK_EDIT_MIX_BITS - 1))) >> STK_EDIT_MIX_BITS;
    return is_first ? other + part : other - part;
}

/* In 15 bits; 1 does not fit 16 signed ones, and the number below it rounds to the same levels. */
STK_EDIT_INLINE int32_t stk_edit_fraction(float fraction)
{
    const float max = (1 << STK_EDIT_MIX_BITS) - 1;
    const float scaled = rintf(stk_edit_times(fraction, 1 << STK_EDIT_MIX_BITS));
    return scaled >= max ? (int32_t)max : scaled > 0 ? (int32_t)scaled : 0;
}

#endif
