/* The nearest pixel, by Pillow's three ways of stepping. */
#ifndef STK_IMAGE_OPS_WARP_NEAREST_H
#define STK_IMAGE_OPS_WARP_NEAREST_H

#include "image/ops/warp.h"

/* Leaves pixels that look outside as they are. */
void stk_warp_nearest(const stk_pixels *src, const stk_pixels *dst, const double m[6]);

#endif
