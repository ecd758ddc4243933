/* sharpness: between a smoothed image and the image, and past it, as Pillow's
 * ImageEnhance.Sharpness. */
#include "image/ops/adjust.h"
#include "image/ops/area.h"
#include "image/ops/blend.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

#include <string.h>

typedef struct sharpness_params {
    double factor[2];
} sharpness_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(sharpness_params, factor, STK_PARAM_NUMBERS), .count = 2, .max = STK_FACTOR_MAX,
     .help = "0 is smoothed, 1 the image as it is, 2 sharpened; a range is drawn from"},
};

static stk_status check(void *params, stk_error *err)
{
    const sharpness_params *p = params;
    return stk_check_range("sharpness", "factor", p->factor, err);
}

/* The mean of nine neighbours where the middle one counts five times: thirteenths, rounded. The sum
 * is an integer, so rounding in Pillow's floats never reaches a half. */
static void smooth_row(uint8_t *restrict out, const uint8_t *restrict above,
                       const uint8_t *restrict row, const uint8_t *restrict below, size_t bytes,
                       size_t pixel)
{
    enum { THIRTEENTH = 5042 }; /* of 65536, rounded up: exact for sums below 6553 */
    for (size_t i = pixel; i + pixel < bytes; i++) {
        const size_t   l = i - pixel, r = i + pixel;
        const uint16_t upper = (uint16_t)(above[l] + above[i] + above[r]);
        const uint16_t lower = (uint16_t)(below[l] + below[i] + below[r]);
        const uint16_t sum = (uint16_t)(upper + lower + row[l] + row[r] + 5 * row[i] + 6);
        out[i] = (uint8_t)(sum * (uint32_t)THIRTEENTH >> 16);
    }
}

/* In place: only the previous original row is needed. Pixels of the margin lack nine neighbours and
 * stay. */
stk_status stk_adjust_sharpness(stk_canvas *canvas, double factor, stk_error *err)
{
    const stk_pixels *pixels = &canvas->pixels;
    const size_t      bytes = stk_area_row_bytes(pixels), pixel = (size_t)pixels->channels;
    stk_pixels        scratch;
    if (pixels->width < 3 || pixels->height < 3) return STK_OK;
    STK_TRY(canvas->reserve(canvas, pixels->width, 3, pixels->channels, &scratch, err));
    uint8_t *above = scratch.data, *spare = scratch.data + bytes,
            *smooth = scratch.data + 2 * bytes;
    memcpy(above, pixels->data, bytes);
    for (int32_t y = 1; y + 1 < pixels->height; y++) {
        uint8_t *row = pixels->data + (size_t)y * bytes;
        smooth_row(smooth, above, row, row + bytes, bytes, pixel);
        memcpy(spare, row, bytes);
        stk_blend(row + pixel, smooth + pixel, bytes - 2 * pixel, (float)factor);
        uint8_t *const former = above;
        above = spare;
        spare = former;
    }
    return STK_OK;
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const sharpness_params *p = params;
    return stk_adjust_sharpness(canvas, stk_draw_uniform(random, p->factor), err);
}

const stk_image_op stk_image_op_sharpness = {
    .name = "sharpness",
    .help = "smooths or sharpens edges",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(sharpness_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
};
