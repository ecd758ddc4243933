/* Rows of a warped image, for the plain kernels and those of an instruction set. */
#ifndef STK_IMAGE_OPS_WARP_ROW_H
#define STK_IMAGE_OPS_WARP_ROW_H

#include "image/ops/warp.h"

typedef struct stk_warp_row {
    const stk_pixels *src;
    const double     *m;
    double            y;   /* middle of the row */
    uint8_t          *out; /* its first pixel */
} stk_warp_row;

/* In this order of operations, so that all kernels look at the same place to the bit. */
static inline double stk_warp_x(const stk_warp_row *row, int32_t x)
{
    return row->m[0] * (x + 0.5) + row->m[1] * row->y + row->m[2];
}

static inline double stk_warp_y(const stk_warp_row *row, int32_t x)
{
    return row->m[3] * (x + 0.5) + row->m[4] * row->y + row->m[5];
}

/* Pixels begin to end, all of which look inside the source. */
typedef void stk_warp_kernel(const stk_warp_row *row, int32_t begin, int32_t end);

stk_warp_kernel stk_warp_bilinear, stk_warp_bicubic;
/* The same bits where the looks are so far inside that the filter's pixels pass no edge, nor do
 * those read past them on the right: one of 3 channels, two grey ones by the bilinear filter. */
stk_warp_kernel stk_warp_bilinear_avx2, stk_warp_bicubic_avx2;           /* 3 channels */
stk_warp_kernel stk_warp_bilinear_grey_avx2, stk_warp_bicubic_grey_avx2; /* 1 channel */

#endif
