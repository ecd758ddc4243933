/* trivial_augment: one change of any strength, chosen anew for each image (Müller and Hutter,
 * 2021), as torchvision's TrivialAugmentWide. */
#include "image/ops/augment.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

enum { BINS_MAX = 1000 };

typedef struct trivial_augment_params {
    int32_t bins;
    int     filter;
    double  fill[3];
} trivial_augment_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(trivial_augment_params, bins, STK_PARAM_INT32), .default_value = "31", .min = 2,
     .max = BINS_MAX, .help = "strengths there are, from none to the strongest"},
    {STK_PARAM_ROW(trivial_augment_params, filter, STK_PARAM_ENUM), .default_value = "nearest",
     .choices = STK_PARAM_WORDS("nearest", "bilinear", "bicubic"),
     .help = "how pixels are looked up by changes that move them"},
    {STK_PARAM_ROW(trivial_augment_params, fill, STK_PARAM_NUMBERS), .count = 3,
     .default_value = "0", .max = 255, .help = "colour where those show nothing of the image"},
};

static const stk_augment_range wide = {.shear = 0.99f,
                                       .translate_x = 32,
                                       .translate_y = 32,
                                       .degrees = 135,
                                       .enhancement = 0.99f,
                                       .bits_lost = 6};

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const trivial_augment_params *p = params;
    const stk_augment             augment = (stk_augment)stk_random_below(random, STK_AUGMENTS);
    const int                     bin = (int)stk_random_below(random, (uint64_t)p->bins);
    const bool       negative = stk_random_below(random, 2) && stk_augment_is_signed(augment);
    const double     size = stk_augment_magnitude(&wide, augment, bin, p->bins);
    stk_augment_look look = {.filter = (stk_filter)p->filter};
    stk_colour_bytes(p->fill, look.fill);
    return stk_augment_apply(canvas, augment, negative ? -size : size, &look, err);
}

const stk_image_op stk_image_op_trivial_augment = {
    .name = "trivial_augment",
    .help = "one change of any strength, chosen anew for each image",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(trivial_augment_params),
    .random = true,
    .pixels = change_pixels,
};
