/* saturation: between grey and the image, and past it, as Pillow's ImageEnhance.Color. */
#include "edit/edit_ops.h"
#include "image/ops/adjust.h"
#include "image/ops/area.h"
#include "image/ops/blend.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/luma.h"

enum { BLOCK = 1024 }; /* pixels whose greys stay in the nearest cache */

typedef struct saturation_params {
    double factor[2];
} saturation_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(saturation_params, factor, STK_PARAM_NUMBERS), .count = 2, .max = STK_FACTOR_MAX,
     .help = "0 is grey, 1 the image as it is, 2 twice the colour; a range is drawn from"},
};

static stk_status check(void *params, stk_error *err)
{
    const saturation_params *p = params;
    return stk_check_range("saturation", "factor", p->factor, err);
}

/* Grey pixels are their own grey. */
void stk_adjust_saturation(const stk_pixels *pixels, double factor)
{
    if (pixels->channels != 3) return;
    const size_t count = stk_area_pixels(pixels);
    uint8_t      grey[BLOCK], spread[3 * BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        const size_t now = count - done < BLOCK ? count - done : BLOCK;
        uint8_t     *at = pixels->data + 3 * done;
        stk_luma(at, grey, now);
        stk_luma_spread(grey, spread, now);
        stk_blend(at, spread, 3 * now, (float)factor);
    }
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const saturation_params *p = params;
    (void)err;
    stk_adjust_saturation(&canvas->pixels, stk_draw_uniform(random, p->factor));
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const saturation_params *p = params;
    (void)size;
    return stk_edit_add_number("saturation", edit, STK_EDIT_SATURATION,
                               stk_draw_uniform(random, p->factor), err);
}

const stk_image_op stk_image_op_saturation = {
    .name = "saturation",
    .help = "makes colours paler or stronger",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(saturation_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
