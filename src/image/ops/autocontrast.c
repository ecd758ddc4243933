/* autocontrast: stretches each channel from black to white, as Pillow's ImageOps.autocontrast. */
#include "image/ops/adjust.h"
#include "image/ops/area.h"
#include "image/ops/histogram.h"
#include "image/ops/image_ops.h"
#include "image/ops/lut.h"

#include <math.h>

typedef struct autocontrast_params {
    double cutoff[2];
} autocontrast_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(autocontrast_params, cutoff, STK_PARAM_NUMBERS), .count = 2,
     .default_value = "0", .max = 100,
     .help = "percent of the pixels that do not count, at the dark and at the light end"},
};

/* Takes percent of the pixels away, beginning at level from and going by step. */
static void cut_off(uint32_t count[256], size_t pixels, double percent, int from, int step)
{
    const double wanted = (double)pixels * percent;
    int64_t      cut = (int64_t)((wanted - fmod(wanted, 100)) / 100);
    for (int i = 0, level = from; i < 256 && cut > 0; i++, level += step) {
        const int64_t taken = cut < count[level] ? cut : count[level];
        count[level] -= (uint32_t)taken;
        cut -= taken;
    }
}

static void fill_table(uint8_t table[STK_LUT_SIZE], const uint32_t count[256])
{
    int low = 0, high = 255;
    while (low < 255 && !count[low])
        low++;
    while (high > 0 && !count[high])
        high--;
    const double scale = high > low ? 255.0 / (high - low) : 1,
                 offset = high > low ? -low * scale : 0;
    for (int level = 0; level < STK_LUT_SIZE; level++)
        table[level] = (uint8_t)fmin(fmax(level * scale + offset, 0), 255);
}

void stk_adjust_autocontrast(const stk_pixels *pixels, const double cutoff[2])
{
    const size_t  count = stk_area_pixels(pixels);
    stk_histogram histogram;
    uint8_t       tables[3][STK_LUT_SIZE];
    stk_histogram_of(pixels, &histogram);
    for (int c = 0; c < pixels->channels; c++) {
        cut_off(histogram.count[c], count, cutoff[0], 0, 1);
        cut_off(histogram.count[c], count, cutoff[1], 255, -1);
        fill_table(tables[c], histogram.count[c]);
    }
    stk_lut_apply_channels(pixels, (const uint8_t(*)[STK_LUT_SIZE])tables);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const autocontrast_params *p = params;
    (void)random, (void)err;
    stk_adjust_autocontrast(&canvas->pixels, p->cutoff);
    return STK_OK;
}

const stk_image_op stk_image_op_autocontrast = {
    .name = "autocontrast",
    .help = "stretches the levels of each channel from black to white",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(autocontrast_params),
    .pixels = change_pixels,
};
