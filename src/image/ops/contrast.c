/* contrast: between the mean of the grey and the image, and past it, as Pillow's
 * ImageEnhance.Contrast. */
#include "edit/edit_ops.h"
#include "image/ops/adjust.h"
#include "image/ops/area.h"
#include "image/ops/blend.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/luma.h"
#include "image/ops/lut.h"

typedef struct contrast_params {
    double factor[2];
} contrast_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(contrast_params, factor, STK_PARAM_NUMBERS), .count = 2, .max = STK_FACTOR_MAX,
     .help = "0 is plain grey, 1 the image as it is, 2 twice the contrast; a range is drawn from"},
};

static stk_status check(void *params, stk_error *err)
{
    const contrast_params *p = params;
    return stk_check_range("contrast", "factor", p->factor, err);
}

void stk_adjust_contrast(const stk_pixels *pixels, double factor)
{
    uint8_t table[STK_LUT_SIZE];
    stk_blend_table(table, stk_luma_mean(pixels), (float)factor);
    stk_lut_apply(pixels->data, stk_area_bytes(pixels), table);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const contrast_params *p = params;
    (void)err;
    stk_adjust_contrast(&canvas->pixels, stk_draw_uniform(random, p->factor));
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const contrast_params *p = params;
    (void)size;
    return stk_edit_add_number("contrast", edit, STK_EDIT_CONTRAST,
                               stk_draw_uniform(random, p->factor), err);
}

const stk_image_op stk_image_op_contrast = {
    .name = "contrast",
    .help = "brings levels closer to the mean or further from it",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(contrast_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
