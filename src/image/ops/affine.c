/* affine: turns, moves, scales and shears an image by random amounts, as torchvision's RandomAffine
 * does with Pillow. */
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/warp.h"

#include <math.h>

typedef struct affine_params {
    double degrees[2];
    double translate[2]; /* parts of width and height */
    double scale[2];
    double shear[2], shear_y[2]; /* degrees */
    int    filter;
    double fill[3];
} affine_params;

#define RANGE(parameter, default_text, lowest, highest, help_text)                                 \
    {                                                                                              \
        .name = #parameter, .kind = STK_PARAM_NUMBERS, .count = 2,                                 \
        .offset = offsetof(affine_params, parameter), .default_value = default_text,               \
        .min = lowest, .max = highest, .help = help_text                                           \
    }

static const stk_param parameters[] = {
    RANGE(degrees, "0", -360, 360, "least and most angle, clockwise; one number for that angle"),
    RANGE(translate, "0", 0, 1, "most part of width,height to move by, either way"),
    RANGE(scale, "1", 1e-3, 1e3, "least and most size compared with the image's"),
    RANGE(shear, "0", -89, 89, "least and most degrees of shear along x"),
    RANGE(shear_y, "0", -89, 89, "least and most degrees of shear along y"),
    {STK_PARAM_ROW(affine_params, filter, STK_PARAM_ENUM), .default_value = "nearest",
     .choices = STK_PARAM_WORDS("nearest", "bilinear", "bicubic"),
     .help = "how pixels are looked up"},
    {STK_PARAM_ROW(affine_params, fill, STK_PARAM_NUMBERS), .count = 3, .default_value = "0",
     .max = 255, .help = "colour where the result shows nothing of the image"},
};

static stk_status check(void *params, stk_error *err)
{
    const affine_params *p = params;
    STK_TRY(stk_check_range("affine", "degrees", p->degrees, err));
    STK_TRY(stk_check_range("affine", "scale", p->scale, err));
    STK_TRY(stk_check_range("affine", "shear", p->shear, err));
    return stk_check_range("affine", "shear_y", p->shear_y, err);
}

static double radians(double degrees)
{
    return degrees * (M_PI / 180);
}

/* An integer shift up to part of side in either direction. */
static double draw_shift(stk_random *random, double part, int32_t side)
{
    const double range[2] = {-part * side, part * side};
    return rint(stk_draw_uniform(random, range));
}

/* The inverse of: shear along x, then y, scale, turn. */
static void invert(double m[6], double angle, double scale, double shear_x, double shear_y)
{
    const double a = cos(angle - shear_y) / cos(shear_y);
    const double b = -cos(angle - shear_y) * tan(shear_x) / cos(shear_y) - sin(angle);
    const double c = sin(angle - shear_y) / cos(shear_y);
    const double d = -sin(angle - shear_y) * tan(shear_x) / cos(shear_y) + cos(angle);
    m[0] = d / scale;
    m[1] = -b / scale;
    m[3] = -c / scale;
    m[4] = a / scale;
}

static void draw_matrix(const affine_params *p, stk_random *random, int32_t width, int32_t height,
                        double m[6])
{
    const double angle = stk_draw_uniform(random, p->degrees);
    const double right = draw_shift(random, p->translate[0], width);
    const double down = draw_shift(random, p->translate[1], height);
    const double scale = stk_draw_uniform(random, p->scale);
    const double shear_x = stk_draw_uniform(random, p->shear);
    const double shear_y = stk_draw_uniform(random, p->shear_y);
    invert(m, radians(angle), scale, radians(shear_x), radians(shear_y));
    stk_warp_centre(m, width, height, right, down);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const affine_params *p = params;
    const int32_t        width = canvas->pixels.width, height = canvas->pixels.height;
    double               m[6];
    uint8_t              fill[3];
    draw_matrix(p, random, width, height, m);
    stk_colour_bytes(p->fill, fill);
    return stk_warp_canvas("affine", canvas, width, height, m, (stk_filter)p->filter, fill, err);
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const affine_params *p = params;
    double               m[6];
    uint8_t              fill[3];
    draw_matrix(p, random, size->width, size->height, m);
    stk_colour_bytes(p->fill, fill);
    return stk_warp_edit("affine", edit, size, m, (stk_filter)p->filter, fill, err);
}

const stk_image_op stk_image_op_affine = {
    .name = "affine",
    .help = "turns, moves, scales and shears an image by random amounts",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(affine_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
