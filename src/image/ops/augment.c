/* The changes of rand_augment and trivial_augment. torchvision's magnitudes are float32, and some
 * become integer pixels or bits: so float is used here too. */
#include "image/ops/augment.h"

#include "image/ops/adjust.h"
#include "image/ops/warp.h"

#include <math.h>

/* From both ends, as torch.linspace, so that the last is exactly to. */
static float between(float from, float to, int bin, int bins)
{
    const float step = (to - from) / (float)(bins - 1);
    return bin < bins / 2 ? from + step * (float)bin : to - step * (float)(bins - 1 - bin);
}

double stk_augment_magnitude(const stk_augment_range *range, stk_augment augment, int bin, int bins)
{
    switch (augment) {
    case STK_AUGMENT_SHEAR_X:
    case STK_AUGMENT_SHEAR_Y:
        return between(0, range->shear, bin, bins);
    case STK_AUGMENT_TRANSLATE_X:
        return between(0, range->translate_x, bin, bins);
    case STK_AUGMENT_TRANSLATE_Y:
        return between(0, range->translate_y, bin, bins);
    case STK_AUGMENT_ROTATE:
        return between(0, range->degrees, bin, bins);
    case STK_AUGMENT_BRIGHTNESS:
    case STK_AUGMENT_SATURATION:
    case STK_AUGMENT_CONTRAST:
    case STK_AUGMENT_SHARPNESS:
        return between(0, range->enhancement, bin, bins);
    case STK_AUGMENT_POSTERIZE:
        return 8 - rintf((float)bin / ((float)(bins - 1) / range->bits_lost));
    case STK_AUGMENT_SOLARIZE:
        return between(255, 0, bin, bins);
    default:
        return 0;
    }
}

bool stk_augment_is_signed(stk_augment augment)
{
    return augment >= STK_AUGMENT_SHEAR_X && augment <= STK_AUGMENT_SHARPNESS;
}

/* Through degrees and back, as torchvision does, for the same last bits. */
static double shear_of(double magnitude)
{
    const double degrees = atan(magnitude) * (180 / M_PI);
    return degrees * (M_PI / 180);
}

static stk_status warp(stk_canvas *canvas, const double m[6], const stk_augment_look *look,
                       stk_error *err)
{
    return stk_warp_canvas("augment", canvas, canvas->pixels.width, canvas->pixels.height, m,
                           look->filter, look->fill, err);
}

stk_status stk_augment_apply(stk_canvas *canvas, stk_augment augment, double magnitude,
                             const stk_augment_look *look, stk_error *err)
{
    const stk_pixels *pixels = &canvas->pixels;
    const double      factor = 1 + magnitude, shift = trunc(magnitude);
    const double      shear = shear_of(magnitude);
    switch (augment) {
    case STK_AUGMENT_SHEAR_X:
        return warp(canvas, (const double[6]){1, tan(shear), 0, 0, 1, 0}, look, err);
    case STK_AUGMENT_SHEAR_Y:
        return warp(canvas, (const double[6]){1, 0, 0, sin(shear) / cos(shear), 1, 0}, look, err);
    case STK_AUGMENT_TRANSLATE_X:
        return warp(canvas, (const double[6]){1, 0, -shift, 0, 1, 0}, look, err);
    case STK_AUGMENT_TRANSLATE_Y:
        return warp(canvas, (const double[6]){1, 0, 0, 0, 1, -shift}, look, err);
    case STK_AUGMENT_ROTATE:
        return stk_adjust_rotation(canvas, magnitude, false, look->filter, look->fill, err);
    case STK_AUGMENT_SHARPNESS:
        return stk_adjust_sharpness(canvas, factor, err);
    case STK_AUGMENT_BRIGHTNESS:
        stk_adjust_brightness(pixels, factor);
        break;
    case STK_AUGMENT_SATURATION:
        stk_adjust_saturation(pixels, factor);
        break;
    case STK_AUGMENT_CONTRAST:
        stk_adjust_contrast(pixels, factor);
        break;
    case STK_AUGMENT_POSTERIZE:
        stk_adjust_posterize(pixels, (int)magnitude);
        break;
    case STK_AUGMENT_SOLARIZE:
        stk_adjust_solarize(pixels, magnitude);
        break;
    case STK_AUGMENT_AUTOCONTRAST:
        stk_adjust_autocontrast(pixels, (const double[2]){0, 0});
        break;
    case STK_AUGMENT_EQUALIZE:
        stk_adjust_equalize(pixels);
        break;
    default:
        break;
    }
    return STK_OK;
}
