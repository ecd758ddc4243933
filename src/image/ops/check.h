/* What several operations check and draw. name is the parameter's, for errors. */
#ifndef STK_IMAGE_OPS_CHECK_H
#define STK_IMAGE_OPS_CHECK_H

#include "image/ops/image_op.h"

enum {
    STK_SIDE_MAX = 65535,    /* pixels of a row or a column that an operation may make */
    STK_PIXELS_MAX = 1 << 28 /* and in all */
};

/* From the lower end to the upper one. op must be a literal, here and below. */
STK_NODISCARD stk_status stk_check_range(const char *op, const char *name, const double range[2],
                                         stk_error *err);
/* Whole numbers in a pair. */
STK_NODISCARD stk_status stk_check_integer(const char *op, const char *name, const double pair[2],
                                           stk_error *err);
/* A size that an operation would make: at least 1 x 1, within the limits above. */
STK_NODISCARD stk_status stk_check_size(const char *op, int64_t width, int64_t height,
                                        stk_error *err);

/* Of a framing with STK_BORDER_REFLECT: the window reaches past an image of this size by less than
 * one of its sides, since a reflection has no more than that. */
STK_NODISCARD stk_status stk_check_reflection(const char *op, const stk_geometry *framing,
                                              int32_t width, int32_t height, stk_error *err);

/* 0 to 255, rounded. */
void stk_colour_bytes(const double colour[3], uint8_t out[3]);

/* Uniform from range[0] to range[1]; draws also where they are equal, so that what is drawn after
 * does not depend on the parameters. */
static inline double stk_draw_uniform(stk_random *random, const double range[2])
{
    return range[0] + (range[1] - range[0]) * stk_random_double(random);
}

#endif
