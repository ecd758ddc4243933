/* equalize: spreads levels so that all are about as frequent, as Pillow's ImageOps.equalize. */
#include "image/ops/adjust.h"
#include "image/ops/area.h"
#include "image/ops/histogram.h"
#include "image/ops/image_ops.h"
#include "image/ops/lut.h"

/* The pixels of one step of the result; 0: too few levels or pixels to change anything. */
static size_t step_of(const uint32_t count[256], size_t pixels)
{
    int last = 255;
    while (last > 0 && !count[last])
        last--;
    return (pixels - count[last]) / 255;
}

static void fill_table(uint8_t table[STK_LUT_SIZE], const uint32_t count[256], size_t pixels)
{
    const size_t step = step_of(count, pixels);
    size_t       below = step / 2;
    for (int level = 0; level < STK_LUT_SIZE; level++) {
        const size_t to = step ? below / step : (size_t)level;
        table[level] = (uint8_t)(to < 255 ? to : 255);
        below += count[level];
    }
}

void stk_adjust_equalize(const stk_pixels *pixels)
{
    stk_histogram histogram;
    uint8_t       tables[3][STK_LUT_SIZE];
    stk_histogram_of(pixels, &histogram);
    for (int c = 0; c < pixels->channels; c++)
        fill_table(tables[c], histogram.count[c], stk_area_pixels(pixels));
    stk_lut_apply_channels(pixels, (const uint8_t(*)[STK_LUT_SIZE])tables);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    (void)params, (void)random, (void)err;
    stk_adjust_equalize(&canvas->pixels);
    return STK_OK;
}

const stk_image_op stk_image_op_equalize = {
    .name = "equalize",
    .help = "spreads the levels of each channel so that all are about as frequent",
    .pixels = change_pixels,
};
