/* hue: turns the circle of colours, as torchvision's adjust_hue does with Pillow's HSV. */
#include "edit/edit_ops.h"
#include "image/ops/adjust.h"
#include "image/ops/area.h"
#include "image/ops/check.h"
#include "image/ops/hsv.h"
#include "image/ops/image_ops.h"

typedef struct hue_params {
    double shift[2];
} hue_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(hue_params, shift, STK_PARAM_NUMBERS), .count = 2, .min = -0.5, .max = 0.5,
     .help = "of the circle of hues: 0.5 gives the opposite colours; a range is drawn from"},
};

static stk_status check(void *params, stk_error *err)
{
    const hue_params *p = params;
    return stk_check_range("hue", "shift", p->shift, err);
}

/* Pillow's hue has 256 steps, and torchvision cuts off fractions of one. Grey has no hue. */
void stk_adjust_hue(const stk_pixels *pixels, double shift)
{
    if (pixels->channels != 3) return;
    stk_hsv_turn(pixels->data, stk_area_pixels(pixels), (uint8_t)(int)(shift * 255));
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const hue_params *p = params;
    (void)err;
    stk_adjust_hue(&canvas->pixels, stk_draw_uniform(random, p->shift));
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const hue_params *p = params;
    (void)size;
    return stk_edit_add_hue("hue", edit, stk_draw_uniform(random, p->shift), err);
}

const stk_image_op stk_image_op_hue = {
    .name = "hue",
    .help = "turns every colour by the same part of the circle of hues",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(hue_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
