/* brightness: between black and the image, and past it, as Pillow's ImageEnhance.Brightness. */
#include "edit/edit_ops.h"
#include "image/ops/adjust.h"
#include "image/ops/area.h"
#include "image/ops/blend.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/lut.h"

typedef struct brightness_params {
    double factor[2];
} brightness_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(brightness_params, factor, STK_PARAM_NUMBERS), .count = 2, .max = STK_FACTOR_MAX,
     .help = "0 is black, 1 the image as it is, 2 twice as bright; a range is drawn from"},
};

static stk_status check(void *params, stk_error *err)
{
    const brightness_params *p = params;
    return stk_check_range("brightness", "factor", p->factor, err);
}

void stk_adjust_brightness(const stk_pixels *pixels, double factor)
{
    uint8_t table[STK_LUT_SIZE];
    stk_blend_table(table, 0, (float)factor);
    stk_lut_apply(pixels->data, stk_area_bytes(pixels), table);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const brightness_params *p = params;
    (void)err;
    stk_adjust_brightness(&canvas->pixels, stk_draw_uniform(random, p->factor));
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const brightness_params *p = params;
    (void)size;
    return stk_edit_add_number("brightness", edit, STK_EDIT_BRIGHTNESS,
                               stk_draw_uniform(random, p->factor), err);
}

const stk_image_op stk_image_op_brightness = {
    .name = "brightness",
    .help = "makes an image darker or lighter",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(brightness_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
