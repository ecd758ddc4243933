/* Positions are stepped by addition, and the rounding of the steps decides between neighbours; so
 * each of Pillow's ways is kept: doubles where axes stay axes, 16.16 fixed point where all
 * positions fit in it, doubles for the rest. */
#include "image/ops/warp_nearest.h"

#include <math.h>
#include <string.h>

static const double FIXED_LIMIT = 32768;

static void copy(const stk_pixels *src, const stk_pixels *dst, int32_t from_x, int32_t from_y,
                 int32_t x, int32_t y)
{
    const size_t channels = (size_t)src->channels;
    memcpy(dst->data + (size_t)y * dst->stride + (size_t)x * channels,
           src->data + (size_t)from_y * src->stride + (size_t)from_x * channels, channels);
}

/* NaN is outside. */
static bool inside(double position, int32_t side)
{
    return position >= 0 && position < side;
}

static void step_axes(const stk_pixels *src, const stk_pixels *dst, const double m[6])
{
    double at_y = m[5] + m[4] * 0.5;
    for (int32_t y = 0; y < dst->height; y++, at_y += m[4]) {
        double at_x = m[2] + m[0] * 0.5;
        if (!inside(at_y, src->height)) continue;
        for (int32_t x = 0; x < dst->width; x++, at_x += m[0])
            if (inside(at_x, src->width)) copy(src, dst, (int32_t)at_x, (int32_t)at_y, x, y);
    }
}

static void step_doubles(const stk_pixels *src, const stk_pixels *dst, const double m[6])
{
    double row_x = m[2] + m[1] * 0.5 + m[0] * 0.5, row_y = m[5] + m[4] * 0.5 + m[3] * 0.5;
    for (int32_t y = 0; y < dst->height; y++, row_x += m[1], row_y += m[4]) {
        double at_x = row_x, at_y = row_y;
        for (int32_t x = 0; x < dst->width; x++, at_x += m[0], at_y += m[3])
            if (inside(at_x, src->width) && inside(at_y, src->height))
                copy(src, dst, (int32_t)at_x, (int32_t)at_y, x, y);
    }
}

static int64_t fixed(double value)
{
    return (int64_t)floor(value * 65536 + 0.5);
}

/* Positions of a row in 16.16: at its first pixel, and from one to the next. */
typedef struct fixed_row {
    int64_t x, y, right_x, right_y;
} fixed_row;

typedef struct span {
    int32_t begin, end;
} span;

static int64_t divide_up(int64_t number, int64_t by)
{
    return number > 0 ? (number - 1) / by + 1 : number / by;
}

/* Pixels of within whose position, start + i * step, is in 0 .. side. */
static span narrow(span within, int64_t start, int64_t step, int32_t side)
{
    const int64_t limit = (int64_t)side << 16;
    if (step < 0) return narrow(within, limit - 1 - start, -step, side);
    if (step == 0) return start >= 0 && start < limit ? within : (span){0, 0};
    const int64_t begin = divide_up(-start, step), end = divide_up(limit - start, step);
    if (begin > within.begin) within.begin = begin < within.end ? (int32_t)begin : within.end;
    if (end < within.end) within.end = end > within.begin ? (int32_t)end : within.begin;
    return within;
}

/* channels is a constant in each copy of this: a pixel is one or two moves, not a call. */
__attribute__((always_inline)) static inline void
copy_span(const stk_pixels *src, uint8_t *out, fixed_row row, span part, size_t channels)
{
    int64_t x = row.x + row.right_x * part.begin, y = row.y + row.right_y * part.begin;
    for (int32_t i = part.begin; i < part.end; i++, x += row.right_x, y += row.right_y)
        memcpy(out + (size_t)i * channels,
               src->data + (size_t)(y >> 16) * src->stride + (size_t)(x >> 16) * channels,
               channels);
}

static void step_fixed(const stk_pixels *src, const stk_pixels *dst, const double m[6])
{
    fixed_row     row = {.x = fixed(m[2] + m[0] * 0.5 + m[1] * 0.5),
                         .y = fixed(m[5] + m[3] * 0.5 + m[4] * 0.5),
                         .right_x = fixed(m[0]),
                         .right_y = fixed(m[3])};
    const int64_t down_x = fixed(m[1]), down_y = fixed(m[4]);
    for (int32_t y = 0; y < dst->height; y++, row.x += down_x, row.y += down_y) {
        uint8_t   *out = dst->data + (size_t)y * dst->stride;
        const span wide = narrow((span){0, dst->width}, row.x, row.right_x, src->width);
        const span part = narrow(wide, row.y, row.right_y, src->height);
        if (src->channels == 3)
            copy_span(src, out, row, part, 3);
        else
            copy_span(src, out, row, part, 1);
    }
}

static bool fits_fixed(const double m[6], double x, double y)
{
    return fabs(x * m[0] + y * m[1] + m[2]) < FIXED_LIMIT &&
           fabs(x * m[3] + y * m[4] + m[5]) < FIXED_LIMIT;
}

void stk_warp_nearest(const stk_pixels *src, const stk_pixels *dst, const double m[6])
{
    if (m[1] == 0 && m[3] == 0)
        step_axes(src, dst, m);
    else if (fits_fixed(m, 0, 0) && fits_fixed(m, dst->width, 0) && fits_fixed(m, 0, dst->height) &&
             fits_fixed(m, dst->width, dst->height))
        step_fixed(src, dst, m);
    else
        step_doubles(src, dst, m);
}
