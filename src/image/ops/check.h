/* Parameter checks and random draws shared by operations. name is the parameter's, for errors. */
#ifndef STK_IMAGE_OPS_CHECK_H
#define STK_IMAGE_OPS_CHECK_H

#include "image/ops/image_op.h"

enum {
    STK_SIDE_MAX = 65535,    /* max width and height of a result */
    STK_PIXELS_MAX = 1 << 28 /* max pixels of a result */
};

/* Checks that a range is ascending. op must be a literal, here and below. */
STK_NODISCARD stk_status stk_check_range(const char *op, const char *name, const double range[2],
                                         stk_error *err);
/* Checks that both numbers of a pair are integers. */
STK_NODISCARD stk_status stk_check_integer(const char *op, const char *name, const double pair[2],
                                           stk_error *err);
/* Checks the size of a result: at least 1 x 1, within the limits above. */
STK_NODISCARD stk_status stk_check_size(const char *op, int64_t width, int64_t height,
                                        stk_error *err);

/* Checks geometry with STK_BORDER_REFLECT: the window may exceed the image by less than its side,
 * as a reflection has no more pixels. */
STK_NODISCARD stk_status stk_check_reflection(const char *op, const stk_geometry *framing,
                                              int32_t width, int32_t height, stk_error *err);

/* 0 to 255, rounded. */
void stk_colour_bytes(const double colour[3], uint8_t out[3]);

/* Draws uniformly from range[0] to range[1]; also draws if they are equal, so that later draws are
 * independent of the parameters. */
static inline double stk_draw_uniform(stk_random *random, const double range[2])
{
    return range[0] + (range[1] - range[0]) * stk_random_double(random);
}

#endif
