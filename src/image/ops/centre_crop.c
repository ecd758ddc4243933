/* centre_crop: the middle of an image; a smaller one gets a black border, as in torchvision. */
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

typedef struct centre_crop_params {
    double size[2]; /* height, width */
} centre_crop_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(centre_crop_params, size, STK_PARAM_NUMBERS), .count = 2, .min = 1,
     .max = STK_SIDE_MAX, .help = "height,width of the result; one number for a square"},
};

/* The start of a centred window. Halves round to even, as in Python; a window larger than the image
 * has the odd border pixel after it. */
static int32_t begin(int32_t side, int32_t size)
{
    const int32_t spare = side - size;
    if (spare < 0) return -(-spare / 2);
    const int32_t half = spare / 2;
    return spare % 2 && half % 2 ? half + 1 : half;
}

static stk_status check(void *params, stk_error *err)
{
    const centre_crop_params *p = params;
    STK_TRY(stk_check_integer("centre_crop", "size", p->size, err));
    return stk_check_size("centre_crop", (int64_t)p->size[1], (int64_t)p->size[0], err);
}

static stk_status choose_geometry(const void *params, stk_random *random, int32_t width,
                                  int32_t height, stk_geometry *out, stk_error *err)
{
    const centre_crop_params *p = params;
    const int32_t             wide = (int32_t)p->size[1], high = (int32_t)p->size[0];
    (void)random, (void)err;
    *out = (stk_geometry){.window = {begin(width, wide), begin(height, high), wide, high}};
    return STK_OK;
}

static void measure(const void *params, stk_image_size *size)
{
    const centre_crop_params *p = params;
    size->height = (int32_t)p->size[0];
    size->width = (int32_t)p->size[1];
}

const stk_image_op stk_image_op_centre_crop = {
    .name = "centre_crop",
    .help = "cuts out the middle",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(centre_crop_params),
    .check = check,
    .geometry = choose_geometry,
    .measure = measure,
};
