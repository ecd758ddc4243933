/* Which pixels of each row look inside the source, and by which kernel they are looked up. */
#include "image/ops/warp.h"

#include "edit/edit_ops.h"
#include "image/ops/check.h"
#include "image/ops/warp_nearest.h"
#include "image/ops/warp_row.h"

#include <string.h>

typedef double position(const stk_warp_row *row, int32_t x);

typedef struct span {
    int32_t begin, end;
} span;

/* The first x whose position is at or past limit; where positions fall, the first one before it.
 * Each operation that makes a position rounds in one direction only, so halving finds it exactly.
 */
static int32_t cross(const stk_warp_row *row, position *at, bool rising, double limit, span within)
{
    while (within.begin < within.end) {
        const int32_t middle = within.begin + (within.end - within.begin) / 2;
        if ((at(row, middle) >= limit) == rising)
            within.end = middle;
        else
            within.begin = middle + 1;
    }
    return within.begin;
}

static span narrow(const stk_warp_row *row, position *at, double slope, double low, double high,
                   span within)
{
    const bool    rising = slope >= 0;
    const int32_t begin = cross(row, at, rising, rising ? low : high, within);
    within.begin = begin;
    within.end = cross(row, at, rising, rising ? high : low, within);
    return within;
}

/* Pixels of within that look at margin or further from every edge, and right more on the right. */
static span inside(const stk_warp_row *row, double margin, double right, span within)
{
    const stk_pixels *src = row->src;
    within = narrow(row, stk_warp_x, row->m[0], margin, src->width - margin - right, within);
    return narrow(row, stk_warp_y, row->m[3], margin, src->height - margin, within);
}

typedef struct kernels {
    stk_warp_kernel *plain;
    stk_warp_kernel *fast;          /* NULL: none */
    double           margin, right; /* that fast needs */
} kernels;

static kernels choose(stk_filter filter, bool grey)
{
    const bool bilinear = filter == STK_FILTER_BILINEAR;
    kernels    chosen = {.plain = bilinear ? stk_warp_bilinear : stk_warp_bicubic};
    if (!__builtin_cpu_supports("avx2")) return chosen;
    chosen.margin = bilinear ? 0.5 : 1.5;
    chosen.right = !grey ? 1 : bilinear ? 2 : 0;
    if (grey)
        chosen.fast = bilinear ? stk_warp_bilinear_grey_avx2 : stk_warp_bicubic_grey_avx2;
    else
        chosen.fast = bilinear ? stk_warp_bilinear_avx2 : stk_warp_bicubic_avx2;
    return chosen;
}

static void warp_row(const stk_warp_row *row, int32_t width, const kernels *use)
{
    const span seen = inside(row, 0, 0, (span){0, width});
    span       deep = {seen.end, seen.end};
    if (use->fast && seen.begin < seen.end) deep = inside(row, use->margin, use->right, seen);
    if (deep.begin >= deep.end) deep = (span){seen.end, seen.end};
    use->plain(row, seen.begin, deep.begin);
    if (deep.begin < deep.end) use->fast(row, deep.begin, deep.end);
    use->plain(row, deep.end, seen.end);
}

static void fill_all(const stk_pixels *dst, const uint8_t fill[3])
{
    const size_t channels = (size_t)dst->channels, bytes = (size_t)dst->width * channels;
    for (size_t i = 0; i < bytes; i++)
        dst->data[i] = fill[i % channels];
    for (int32_t y = 1; y < dst->height; y++)
        memcpy(dst->data + (size_t)y * dst->stride, dst->data, bytes);
}

void stk_warp(const stk_pixels *src, const stk_pixels *dst, const double m[6], stk_filter filter,
              const uint8_t fill[3])
{
    fill_all(dst, fill);
    if (filter == STK_FILTER_NEAREST) {
        stk_warp_nearest(src, dst, m);
        return;
    }
    const kernels use = choose(filter, src->channels == 1);
    for (int32_t y = 0; y < dst->height; y++) {
        const stk_warp_row row = {src, m, y + 0.5, dst->data + (size_t)y * dst->stride};
        warp_row(&row, dst->width, &use);
    }
}

stk_status stk_warp_canvas(const char *op, stk_canvas *canvas, int64_t width, int64_t height,
                           const double m[6], stk_filter filter, const uint8_t fill[3],
                           stk_error *err)
{
    stk_pixels other;
    STK_TRY(stk_check_size(op, width, height, err));
    STK_TRY(canvas->reserve(canvas, (int32_t)width, (int32_t)height, canvas->pixels.channels,
                            &other, err));
    stk_warp(&canvas->pixels, &other, m, filter, fill);
    stk_canvas_use(canvas, &other);
    return STK_OK;
}

stk_status stk_warp_edit(const char *op, stk_edit *edit, const stk_image_size *size,
                         const double m[6], stk_filter filter, const uint8_t fill[3],
                         stk_error *err)
{
    const bool bilinear = filter == STK_FILTER_BILINEAR;
    if (!bilinear && filter != STK_FILTER_NEAREST)
        return stk_fail(err, STK_E_UNSUPPORTED, op, "filter",
                        "on a device there are filter=nearest and filter=bilinear");
    return stk_edit_add_warp(op, edit, size->width, size->height, m, bilinear, fill, err);
}

void stk_warp_centre(double m[6], int32_t width, int32_t height, double right, double down)
{
    const double x = width / 2.0, y = height / 2.0;
    m[2] = m[0] * (-x - right) + m[1] * (-y - down) + x;
    m[5] = m[3] * (-x - right) + m[4] * (-y - down) + y;
}
