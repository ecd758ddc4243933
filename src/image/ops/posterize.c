/* posterize: keeps the upper bits of each level, as Pillow's ImageOps.posterize. */
#include "edit/edit_ops.h"
#include "image/ops/adjust.h"
#include "image/ops/area.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/lut.h"

typedef struct posterize_params {
    double bits[2];
} posterize_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(posterize_params, bits, STK_PARAM_NUMBERS), .count = 2, .min = 1, .max = 8,
     .help = "that are kept of each level; from a range, ends included, one is drawn"},
};

static stk_status check(void *params, stk_error *err)
{
    const posterize_params *p = params;
    STK_TRY(stk_check_integer("posterize", "bits", p->bits, err));
    return stk_check_range("posterize", "bits", p->bits, err);
}

void stk_adjust_posterize(const stk_pixels *pixels, int bits)
{
    uint8_t table[STK_LUT_SIZE];
    for (int level = 0; level < STK_LUT_SIZE; level++)
        table[level] = (uint8_t)(level & (0xff00 >> bits));
    stk_lut_apply(pixels->data, stk_area_bytes(pixels), table);
}

static int draw_bits(const posterize_params *p, stk_random *random)
{
    const uint64_t choices = (uint64_t)(p->bits[1] - p->bits[0]) + 1;
    return (int)p->bits[0] + (int)stk_random_below(random, choices);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    (void)err;
    stk_adjust_posterize(&canvas->pixels, draw_bits(params, random));
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    (void)size;
    return stk_edit_add_word("posterize", edit, STK_EDIT_POSTERIZE, draw_bits(params, random), err);
}

const stk_image_op stk_image_op_posterize = {
    .name = "posterize",
    .help = "keeps the upper bits of each level",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(posterize_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
