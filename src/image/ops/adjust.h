/* Pixel ops as functions, for ops composed of others. Pixels are dense and changed in place;
 * factors and amounts are within the bounds of the op's parameters. */
#ifndef STK_IMAGE_OPS_ADJUST_H
#define STK_IMAGE_OPS_ADJUST_H

#include "image/ops/image_op.h"

enum { STK_FACTOR_MAX = 1000 }; /* of factors for which 1 is the identity */

void stk_adjust_brightness(const stk_pixels *pixels, double factor);
void stk_adjust_contrast(const stk_pixels *pixels, double factor);
void stk_adjust_saturation(const stk_pixels *pixels, double factor);
void stk_adjust_hue(const stk_pixels *pixels, double shift);
void stk_adjust_solarize(const stk_pixels *pixels, double threshold);
void stk_adjust_posterize(const stk_pixels *pixels, int bits);
/* cutoff: percent of pixels ignored at the dark and the light end. */
void stk_adjust_autocontrast(const stk_pixels *pixels, const double cutoff[2]);
void stk_adjust_equalize(const stk_pixels *pixels);
/* These reserve a second canvas buffer. */
STK_NODISCARD stk_status stk_adjust_sharpness(stk_canvas *canvas, double factor, stk_error *err);
/* Rotates counter-clockwise about the centre. */
STK_NODISCARD stk_status stk_adjust_rotation(stk_canvas *canvas, double degrees, bool expand,
                                             stk_filter filter, const uint8_t fill[3],
                                             stk_error *err);

#endif
