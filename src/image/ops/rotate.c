/* rotate: turns an image about its middle, as Pillow's Image.rotate does. */
#include "image/ops/adjust.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/warp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rotate_params {
    double degrees[2];
    bool   expand;
    int    filter;
    double fill[3];
} rotate_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(rotate_params, degrees, STK_PARAM_NUMBERS), .count = 2, .min = -360, .max = 360,
     .help = "least and most angle, counter-clockwise; one number for that angle"},
    {STK_PARAM_ROW(rotate_params, expand, STK_PARAM_BOOL), .default_value = "false",
     .help = "make the result large enough for the corners"},
    {STK_PARAM_ROW(rotate_params, filter, STK_PARAM_ENUM), .default_value = "nearest",
     .choices = STK_PARAM_WORDS("nearest", "bilinear", "bicubic"),
     .help = "how pixels are looked up"},
    {STK_PARAM_ROW(rotate_params, fill, STK_PARAM_NUMBERS), .count = 3, .default_value = "0",
     .max = 255, .help = "colour where the result shows nothing of the image"},
};

static stk_status check(void *params, stk_error *err)
{
    return stk_check_range("rotate", "degrees", ((rotate_params *)params)->degrees, err);
}

/* To 15 decimals, as Pillow rounds, which makes right angles exact. Only through the digits does it
 * come out as Python's round does. */
static double decimals15(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15f", value);
    return strtod(text, NULL);
}

/* The size that holds all four corners. */
static void hold_corners(const double m[6], double w, double h, int64_t size[2])
{
    for (int axis = 0; axis < 2; axis++) {
        const double *row = m + 3 * axis;
        const double  across = row[0] * w, down = row[1] * h;
        const double  corners[4] = {row[2], across + row[2], across + down + row[2], down + row[2]};
        double        low = corners[0], high = corners[0];
        for (int i = 1; i < 4; i++) {
            low = fmin(low, corners[i]);
            high = fmax(high, corners[i]);
        }
        size[axis] = (int64_t)(ceil(high) - floor(low));
    }
}

/* The size after the turn, and the matrix moved to its middle. A quarter turn swaps the sides, also
 * where the corners, about the old middle, lie at halves of pixels. */
static void grow(double m[6], int64_t size[2])
{
    const int64_t old[2] = {size[0], size[1]};
    const double  w = (double)old[0], h = (double)old[1];
    double        moved[2];
    size[0] = old[1];
    size[1] = old[0];
    if (m[0] != 0) hold_corners(m, w, h, size);
    for (int axis = 0; axis < 2; axis++)
        moved[axis] = m[3 * axis] * (-((double)size[0] - w) / 2) +
                      m[3 * axis + 1] * (-((double)size[1] - h) / 2) + m[3 * axis + 2];
    m[2] = moved[0];
    m[5] = moved[1];
}

/* False: it is not turned at all. */
static bool turn_matrix(double degrees, int32_t width, int32_t height, double m[6])
{
    const double turn = fmod(degrees, 360);
    const double angle = -(turn < 0 ? turn + 360 : turn) * (M_PI / 180);
    const double across = decimals15(cos(angle)), down = decimals15(sin(angle));
    memcpy(m, (const double[6]){across, down, 0, -down, across, 0}, 6 * sizeof *m);
    stk_warp_centre(m, width, height, 0, 0);
    return turn != 0;
}

stk_status stk_adjust_rotation(stk_canvas *canvas, double degrees, bool expand, stk_filter filter,
                               const uint8_t fill[3], stk_error *err)
{
    const stk_pixels *pixels = &canvas->pixels;
    int64_t           size[2] = {pixels->width, pixels->height};
    double            m[6];
    if (!turn_matrix(degrees, pixels->width, pixels->height, m)) return STK_OK;
    if (expand) grow(m, size);
    return stk_warp_canvas("rotate", canvas, size[0], size[1], m, filter, fill, err);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const rotate_params *p = params;
    const double         degrees = stk_draw_uniform(random, p->degrees);
    uint8_t              fill[3];
    stk_colour_bytes(p->fill, fill);
    return stk_adjust_rotation(canvas, degrees, p->expand, (stk_filter)p->filter, fill, err);
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const rotate_params *p = params;
    double               m[6];
    uint8_t              fill[3];
    if (p->expand)
        return stk_fail(err, STK_E_UNSUPPORTED, "rotate", "expand",
                        "on a device an image keeps its size: leave expand=true out");
    (void)turn_matrix(stk_draw_uniform(random, p->degrees), size->width, size->height, m);
    stk_colour_bytes(p->fill, fill);
    return stk_warp_edit("rotate", edit, size, m, (stk_filter)p->filter, fill, err);
}

static void measure(const void *params, stk_image_size *size)
{
    if (!((const rotate_params *)params)->expand) return;
    size->width = -1;
    size->height = -1;
}

const stk_image_op stk_image_op_rotate = {
    .name = "rotate",
    .help = "turns an image about its middle by a random angle",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(rotate_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
    .measure = measure,
};
