/* solarize: turns light levels over, as Pillow's ImageOps.solarize. */
#include "edit/edit_ops.h"
#include "image/ops/adjust.h"
#include "image/ops/area.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/lut.h"

#include <math.h>

typedef struct solarize_params {
    double threshold[2];
} solarize_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(solarize_params, threshold, STK_PARAM_NUMBERS), .count = 2,
     .default_value = "128", .max = 256,
     .help = "levels from here on are subtracted from 255; a range is drawn from"},
};

static stk_status check(void *params, stk_error *err)
{
    const solarize_params *p = params;
    return stk_check_range("solarize", "threshold", p->threshold, err);
}

void stk_adjust_solarize(const stk_pixels *pixels, double threshold)
{
    uint8_t table[STK_LUT_SIZE];
    for (int level = 0; level < STK_LUT_SIZE; level++)
        table[level] = (uint8_t)(level < threshold ? level : 255 - level);
    stk_lut_apply(pixels->data, stk_area_bytes(pixels), table);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const solarize_params *p = params;
    (void)err;
    stk_adjust_solarize(&canvas->pixels, stk_draw_uniform(random, p->threshold));
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const solarize_params *p = params;
    const double           first = ceil(stk_draw_uniform(random, p->threshold));
    (void)size;
    return stk_edit_add_word("solarize", edit, STK_EDIT_SOLARIZE, (int32_t)first, err);
}

const stk_image_op stk_image_op_solarize = {
    .name = "solarize",
    .help = "turns levels from a threshold on into their negative",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(solarize_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
