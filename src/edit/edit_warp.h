/* Source positions of a warp: as image/ops/warp.c and warp_nearest.c, with the numbers of an edit.
 */
#ifndef STK_EDIT_EDIT_WARP_H
#define STK_EDIT_EDIT_WARP_H

#include "edit/edit_pixels.h"

/* Pixel x, y shows the image at m[0] * (x + 0.5) + m[1] * (y + 0.5) + m[2], and so on. Where it
 * steps, places are counted in 65536ths: start + right * x + down * y of either axis. */
typedef struct stk_edit_warp {
    double  m[6];
    int64_t start[2], right[2], down[2];
    bool    steps, bilinear;
    int32_t colour;
} stk_edit_warp;

/* One or four pixels, and the weights of the second ones. */
typedef struct stk_edit_look {
    bool    inside;
    int32_t x[2], y[2];
    double  part_x, part_y;
} stk_edit_look;

STK_EDIT_INLINE double stk_edit_sum(double a, double x, double b, double y, double c)
{
    return stk_edit_times_exact(a, x) + stk_edit_times_exact(b, y) + c;
}

STK_EDIT_INLINE bool stk_edit_fits_ops(const double m[6], double x, double y)
{
    return fabs(stk_edit_sum(x, m[0], y, m[1], m[2])) < 32768 &&
           fabs(stk_edit_sum(x, m[3], y, m[4], m[5])) < 32768;
}

STK_EDIT_INLINE int64_t stk_edit_fixed(double value)
{
    return (int64_t)floor(stk_edit_times_exact(value, 65536) + 0.5);
}

STK_EDIT_INLINE stk_edit_warp stk_edit_warp_of(const stk_edit_op *step, int32_t width,
                                               int32_t height)
{
    stk_edit_warp w = {{0}, {0}, {0}, {0}, false, false, 0};
    double *const m = w.m;
    for (int i = 0; i < 6; i++)
        m[i] = (double)step->number[i];
    w.colour = step->word[STK_EDIT_WARP_HOW] & 0xffffff;
    w.bilinear = step->word[STK_EDIT_WARP_HOW] >> 24 & 1;
    w.steps = !w.bilinear && !(m[1] == 0 && m[3] == 0) && stk_edit_fits_ops(m, 0, 0) &&
              stk_edit_fits_ops(m, width, 0) && stk_edit_fits_ops(m, 0, height) &&
              stk_edit_fits_ops(m, width, height);
    for (int axis = 0; axis < 2 && w.steps; axis++) {
        const double *row = m + 3 * axis;
        w.start[axis] = stk_edit_fixed(row[2] + stk_edit_times_exact(row[0], 0.5) +
                                       stk_edit_times_exact(row[1], 0.5));
        w.right[axis] = stk_edit_fixed(row[0]);
        w.down[axis] = stk_edit_fixed(row[1]);
    }
    return w;
}

STK_EDIT_INLINE int32_t stk_edit_clip(int32_t index, int32_t count)
{
    return index < 0 ? 0 : index < count ? index : count - 1;
}

/* The pixels on either side of position, which is inside; returns the weight of the second. */
STK_EDIT_INLINE double stk_edit_beside(double position, int32_t size, int32_t pixels[2])
{
    const double  at = position - 0.5;
    const int32_t integer = (int32_t)at, below = integer - (at < integer);
    pixels[0] = stk_edit_clip(below, size);
    pixels[1] = stk_edit_clip(below + 1, size);
    return at - below;
}

STK_EDIT_INLINE stk_edit_look stk_edit_look_op(const stk_edit_warp *w, int32_t width,
                                               int32_t height, int32_t x, int32_t y)
{
    const int64_t at_x = w->start[0] + w->right[0] * x + w->down[0] * y;
    const int64_t at_y = w->start[1] + w->right[1] * x + w->down[1] * y;
    stk_edit_look look = {false, {0, 0}, {0, 0}, 0, 0};
    look.inside =
        at_x >= 0 && at_y >= 0 && at_x < (int64_t)width << 16 && at_y < (int64_t)height << 16;
    look.x[0] = (int32_t)(at_x >> 16);
    look.y[0] = (int32_t)(at_y >> 16);
    return look;
}

/* NaN is outside. */
STK_EDIT_INLINE stk_edit_look stk_edit_look_at(const stk_edit_warp *w, int32_t width,
                                               int32_t height, int32_t x, int32_t y)
{
    if (w->steps) return stk_edit_look_op(w, width, height, x, y);
    const double  at_x = stk_edit_sum(w->m[0], x + 0.5, w->m[1], y + 0.5, w->m[2]);
    const double  at_y = stk_edit_sum(w->m[3], x + 0.5, w->m[4], y + 0.5, w->m[5]);
    stk_edit_look look = {false, {0, 0}, {0, 0}, 0, 0};
    look.inside = at_x >= 0 && at_y >= 0 && at_x < width && at_y < height;
    if (look.inside && w->bilinear) {
        look.part_x = stk_edit_beside(at_x, width, look.x);
        look.part_y = stk_edit_beside(at_y, height, look.y);
    } else if (look.inside) {
        look.x[0] = (int32_t)at_x;
        look.y[0] = (int32_t)at_y;
    }
    return look;
}

STK_EDIT_INLINE double stk_edit_between(double a, double b, double part)
{
    return a + stk_edit_times_exact(b - a, part);
}

/* Of the pixels at (x[0], y[0]), (x[1], y[0]), (x[0], y[1]), (x[1], y[1]). */
STK_EDIT_INLINE stk_edit_pixel stk_edit_join(const stk_edit_pixel corner[4],
                                             const stk_edit_look *look)
{
    stk_edit_pixel p;
    for (int c = 0; c < 3; c++) {
        const double above = stk_edit_between(corner[0].level[c], corner[1].level[c], look->part_x);
        const double below = stk_edit_between(corner[2].level[c], corner[3].level[c], look->part_x);
        p.level[c] = (int32_t)stk_edit_between(above, below, look->part_y);
    }
    return p;
}

#endif
