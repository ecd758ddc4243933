/* rand_augment: some changes of one strength, chosen anew for each image (Cubuk and others,
 * 2019), as torchvision's RandAugment. */
#include "image/ops/augment.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

enum { OPS_MAX = 100, BINS_MAX = 1000 };

typedef struct rand_augment_params {
    int32_t n, magnitude, bins;
    int     filter;
    double  fill[3];
} rand_augment_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(rand_augment_params, n, STK_PARAM_INT32), .default_value = "2", .max = OPS_MAX,
     .help = "how many changes, one after the other"},
    {STK_PARAM_ROW(rand_augment_params, magnitude, STK_PARAM_INT32), .default_value = "9",
     .max = BINS_MAX, .help = "how strong they are: 0 to bins - 1"},
    {STK_PARAM_ROW(rand_augment_params, bins, STK_PARAM_INT32), .default_value = "31", .min = 2,
     .max = BINS_MAX, .help = "steps that strengths are divided into"},
    {STK_PARAM_ROW(rand_augment_params, filter, STK_PARAM_ENUM), .default_value = "nearest",
     .choices = STK_PARAM_WORDS("nearest", "bilinear", "bicubic"),
     .help = "how pixels are looked up by those that move them"},
    {STK_PARAM_ROW(rand_augment_params, fill, STK_PARAM_NUMBERS), .count = 3, .default_value = "0",
     .max = 255, .help = "colour where those show nothing of the image"},
};

static stk_status check(void *params, stk_error *err)
{
    const rand_augment_params *p = params;
    if (p->magnitude < p->bins) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "rand_augment", "magnitude",
                    "magnitude=%d must be below bins=%d", (int)p->magnitude, (int)p->bins);
}

static stk_augment_range range_for(const stk_pixels *pixels)
{
    return (stk_augment_range){.shear = 0.3f,
                               .translate_x = (float)(150.0 / 331.0 * pixels->width),
                               .translate_y = (float)(150.0 / 331.0 * pixels->height),
                               .degrees = 30,
                               .enhancement = 0.9f,
                               .bits_lost = 4};
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const rand_augment_params *p = params;
    const stk_augment_range    range = range_for(&canvas->pixels);
    stk_augment_look           look = {.filter = (stk_filter)p->filter};
    stk_colour_bytes(p->fill, look.fill);
    for (int32_t i = 0; i < p->n; i++) {
        const stk_augment augment = (stk_augment)stk_random_below(random, STK_AUGMENTS);
        const bool        negative = stk_random_below(random, 2) && stk_augment_is_signed(augment);
        const double      size = stk_augment_magnitude(&range, augment, p->magnitude, p->bins);
        STK_TRY(stk_augment_apply(canvas, augment, negative ? -size : size, &look, err));
    }
    return STK_OK;
}

const stk_image_op stk_image_op_rand_augment = {
    .name = "rand_augment",
    .help = "some changes of one strength, chosen anew for each image",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(rand_augment_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
};
