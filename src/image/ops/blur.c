/* blur: a Gaussian of a given size with mirrored margins, as torchvision's gaussian_blur. Weights
 * are 14 bits and rows between the two passes have 6 bits after the point, so that sums of two rows
 * still fit 16 bits; torch works in float32, and the difference is a level at most. */
#include "image/ops/area.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/taps.h"

#include <math.h>

enum { KERNEL_MAX = 2 * STK_TAPS_HALF + 1, SIGMA_MAX = 100, FRACTION = 6 };

typedef struct blur_params {
    double  sigma[2];
    int32_t kernel;
    int32_t half; /* pixels on either side of the middle one */
} blur_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(blur_params, sigma, STK_PARAM_NUMBERS), .count = 2, .default_value = "0.1,2",
     .min = 0.01, .max = SIGMA_MAX, .help = "standard deviation in pixels; a range is drawn from"},
    {STK_PARAM_ROW(blur_params, kernel, STK_PARAM_INT32), .default_value = "0", .max = KERNEL_MAX,
     .help = "pixels of a side that count, an odd number; 0: three sigma to each side"},
};

static stk_status check(void *params, stk_error *err)
{
    blur_params *p = params;
    STK_TRY(stk_check_range("blur", "sigma", p->sigma, err));
    if (p->kernel && p->kernel % 2 == 0)
        return stk_fail(err, STK_E_INVALID, "blur", "kernel",
                        "kernel=%d has no middle: make it %d or %d", (int)p->kernel,
                        (int)p->kernel - 1, (int)p->kernel + 1);
    p->half = p->kernel ? p->kernel / 2 : (int32_t)fmin(ceil(3 * p->sigma[1]), STK_TAPS_HALF);
    return STK_OK;
}

/* Twice the sum of the weights is 1 << STK_TAPS_BITS; the middle one, met twice, takes what
 * rounding leaves. */
static void fill_weights(stk_taps *taps, int half, double sigma)
{
    double sum = 0;
    int    left = 1 << (STK_TAPS_BITS - 1);
    taps->count = half + 1;
    for (int i = -half; i <= half; i++)
        sum += exp(-0.5 * (i / sigma) * (i / sigma));
    for (int i = 1; i <= half; i++) {
        const double weight = exp(-0.5 * (i / sigma) * (i / sigma)) / sum;
        taps->weight[i] = (int16_t)lrint(weight * (1 << STK_TAPS_BITS));
        left -= taps->weight[i];
    }
    taps->weight[0] = (int16_t)left;
}

/* Mirrored without the edge: -1 is 1. As often as it takes where an image is small. */
static int32_t mirror(int32_t position, int32_t size)
{
    while (position < 0 || position >= size)
        position = size == 1 ? 0 : position < 0 ? -position : 2 * (size - 1) - position;
    return position;
}

typedef struct blurring {
    const stk_pixels *pixels;
    stk_taps          taps;
    int               half;
    size_t            row_bytes; /* of pixels: as many values as a row here has */
    int16_t          *wide;      /* a row with its margins; then one result */
    int16_t          *ring;      /* the last 2 * half + 1 rows, blurred along x */
} blurring;

static int16_t *ring_row(const blurring *b, int32_t y)
{
    return b->ring + (size_t)(y % (2 * b->half + 1)) * b->row_bytes;
}

static void widen(int16_t *restrict out, const uint8_t *restrict levels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = levels[i];
}

static void narrow(uint8_t *restrict out, const int16_t *restrict levels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)levels[i];
}

static void widen_row(const blurring *b, const uint8_t *row)
{
    const int32_t width = b->pixels->width, channels = b->pixels->channels;
    int16_t      *middle = b->wide + (size_t)b->half * (size_t)channels;
    widen(middle, row, b->row_bytes);
    for (int32_t x = 1; x <= b->half; x++)
        for (int32_t c = 0; c < channels; c++) {
            middle[-x * channels + c] = row[mirror(-x, width) * channels + c];
            middle[(width - 1 + x) * channels + c] =
                row[mirror(width - 1 + x, width) * channels + c];
        }
}

static void blur_along_x(blurring *b, int32_t y)
{
    const int channels = b->pixels->channels;
    widen_row(b, b->pixels->data + (size_t)y * b->row_bytes);
    for (int i = 0; i <= b->half; i++) {
        b->taps.before[i] = b->wide + (b->half - i) * channels;
        b->taps.after[i] = b->wide + (b->half + i) * channels;
    }
    stk_taps_weigh(ring_row(b, y), b->row_bytes, &b->taps, STK_TAPS_BITS - FRACTION);
}

static void blur_along_y(blurring *b, int32_t y)
{
    uint8_t *out = b->pixels->data + (size_t)y * b->row_bytes;
    for (int i = 0; i <= b->half; i++) {
        b->taps.before[i] = ring_row(b, mirror(y - i, b->pixels->height));
        b->taps.after[i] = ring_row(b, mirror(y + i, b->pixels->height));
    }
    stk_taps_weigh(b->wide, b->row_bytes, &b->taps, STK_TAPS_BITS + FRACTION);
    narrow(out, b->wide, b->row_bytes);
}

/* In place: a row is written once all rows that need it are in the ring. */
static void blur(blurring *b)
{
    const int32_t height = b->pixels->height;
    int32_t       ready = 0;
    for (int32_t y = 0; y < height; y++) {
        for (; ready < height && ready <= y + b->half; ready++)
            blur_along_x(b, ready);
        blur_along_y(b, y);
    }
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const blur_params *p = params;
    const stk_pixels  *pixels = &canvas->pixels;
    stk_pixels         scratch;
    blurring b = {.pixels = pixels, .half = p->half, .row_bytes = stk_area_row_bytes(pixels)};
    fill_weights(&b.taps, p->half, stk_draw_uniform(random, p->sigma));
    STK_TRY(canvas->reserve(canvas, pixels->width + 2 * p->half, 2 * p->half + 2,
                            pixels->channels * (int32_t)sizeof(int16_t), &scratch, err));
    b.wide = (int16_t *)(void *)scratch.data;
    b.ring = b.wide + b.row_bytes + 2 * (size_t)p->half * (size_t)pixels->channels;
    blur(&b);
    return STK_OK;
}

const stk_image_op stk_image_op_blur = {
    .name = "blur",
    .help = "blurs by a Gaussian",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(blur_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
};
