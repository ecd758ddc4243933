/* Affine warps: looks up every output pixel in the source, bit-identical to Pillow's
 * transform(AFFINE). */
#ifndef STK_IMAGE_OPS_WARP_H
#define STK_IMAGE_OPS_WARP_H

#include "image/ops/image_op.h"

/* Pixel x, y of the result shows the source at
 *   m[0] * (x + 0.5) + m[1] * (y + 0.5) + m[2],  m[3] * (x + 0.5) + m[4] * (y + 0.5) + m[5]
 * where 0.5 is the middle of the first pixel; fill where that is outside. filter is NEAREST,
 * BILINEAR or BICUBIC. dst has src's channels; they do not overlap. */
void stk_warp(const stk_pixels *src, const stk_pixels *dst, const double m[6], stk_filter filter,
              const uint8_t fill[3]);

/* The same on a canvas, whose pixels become width x height. op must be a literal. */
STK_NODISCARD stk_status stk_warp_canvas(const char *op, stk_canvas *canvas, int64_t width,
                                         int64_t height, const double m[6], stk_filter filter,
                                         const uint8_t fill[3], stk_error *err);

/* The same as an edit op, for images of this size. Devices have no bicubic filter. */
STK_NODISCARD stk_status stk_warp_edit(const char *op, stk_edit *edit, const stk_image_size *size,
                                       const double m[6], stk_filter filter, const uint8_t fill[3],
                                       stk_error *err);

/* Centres m: the source's centre maps to the result's, shifted by right and down. Sets m[2] and
 * m[5]. */
void stk_warp_centre(double m[6], int32_t width, int32_t height, double right, double down);

#endif
