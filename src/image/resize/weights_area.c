/* Output pixels as areas, and as single pixels. */
#include "image/resize/resize_weights.h"

#include <math.h>

static void weigh_area(const stk_axis_span *span, const stk_axis *axis)
{
    for (int32_t i = 0; i < axis->count; i++) {
        const double begin = span->start + stk_axis_pixel(axis, i) * span->scale;
        const double end = fmin(begin + span->scale, span->start + span->length);
        int32_t      first = (int32_t)begin;
        if (first > span->pixels - axis->taps) first = span->pixels - axis->taps;
        for (int32_t k = 0; k < axis->taps; k++) {
            const double shared = fmin(end, first + k + 1) - fmax(begin, first + k);
            axis->scratch[k] = shared > 0 ? shared / (end - begin) : 0;
        }
        stk_axis_store(axis, i, first, axis->scratch);
    }
}

stk_weights_kind stk_weights_area(double scale)
{
    return (stk_weights_kind){weigh_area, ceil(scale) + 1};
}

static int32_t clamp(double at, int32_t pixels)
{
    return at < 0 ? 0 : at < pixels ? (int32_t)at : pixels - 1;
}

/* Pillow adds the scale up from pixel to pixel; where that decides between two pixels it differs
 * from a product by its rounding. */
static void pick_summed(const stk_axis_span *span, const stk_axis *axis)
{
    const stk_axis_request *r = &axis->request;
    const double            weight = 1 << STK_WEIGHT_BITS;
    double                  at = span->start + span->scale * 0.5;
    for (int32_t x = 0; x < r->part + r->count; x++, at += span->scale) {
        const int32_t index = r->flip ? r->count - 1 - (x - r->part) : x - r->part;
        if (x >= r->part) stk_axis_store(axis, index, clamp(at, span->pixels), &weight);
    }
}

static void pick_left(const stk_axis_span *span, const stk_axis *axis)
{
    const double weight = 1 << STK_WEIGHT_HALF_BITS;
    for (int32_t i = 0; i < axis->count; i++) {
        const double at = floor(span->start + stk_axis_pixel(axis, i) * span->scale);
        stk_axis_store(axis, i, clamp(at, span->pixels), &weight);
    }
}

static void pick_centre(const stk_axis_span *span, const stk_axis *axis)
{
    const double weight = 1;
    for (int32_t i = 0; i < axis->count; i++) {
        const float middle = (float)stk_axis_pixel(axis, i) + 0.5f;
        const float at = floorf(middle * (float)span->scale + (float)span->start);
        stk_axis_store(axis, i, clamp(at, span->pixels), &weight);
    }
}

stk_weights_kind stk_weights_nearest(const stk_sampling *sampling)
{
    static const stk_weights_fn fills[STK_RESIZE_LIKES] = {
        [STK_RESIZE_PIL] = pick_summed,
        [STK_RESIZE_OPENCV] = pick_left,
        [STK_RESIZE_TF] = pick_centre,
    };
    return (stk_weights_kind){fills[sampling->like], 1};
}
