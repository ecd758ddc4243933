/* cutout: erases a square around a random pixel, clipped at the image (DeVries and Taylor, 2017).
 */
#include "edit/edit_ops.h"
#include "image/ops/check.h"
#include "image/ops/image_fill.h"
#include "image/ops/image_ops.h"

enum { HOLES_MAX = 1000 };

typedef struct cutout_params {
    int32_t size, holes;
    double  fill[3];
} cutout_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(cutout_params, size, STK_PARAM_INT32), .min = 1, .max = STK_SIDE_MAX,
     .help = "side of the square in pixels"},
    {STK_PARAM_ROW(cutout_params, holes, STK_PARAM_INT32), .default_value = "1", .min = 1,
     .max = HOLES_MAX, .help = "how many squares"},
    {STK_PARAM_ROW(cutout_params, fill, STK_PARAM_NUMBERS), .count = 3, .default_value = "0",
     .max = 255, .help = "their colour"},
};

static stk_rect draw_square(const cutout_params *p, stk_random *random, int32_t width,
                            int32_t height)
{
    const int32_t y = (int32_t)stk_random_below(random, (uint64_t)height);
    const int32_t x = (int32_t)stk_random_below(random, (uint64_t)width);
    return (stk_rect){x - p->size / 2, y - p->size / 2, p->size, p->size};
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const cutout_params *p = params;
    const stk_pixels    *pixels = &canvas->pixels;
    uint8_t              colour[3];
    (void)err;
    stk_colour_bytes(p->fill, colour);
    for (int32_t i = 0; i < p->holes; i++)
        stk_fill_rect(pixels, draw_square(p, random, pixels->width, pixels->height), colour);
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const cutout_params *p = params;
    uint8_t              colour[3];
    stk_colour_bytes(p->fill, colour);
    for (int32_t i = 0; i < p->holes; i++) {
        const stk_rect hole = draw_square(p, random, size->width, size->height);
        STK_TRY(stk_edit_add_rect("cutout", edit, hole.x, hole.y, hole.width, hole.height, colour,
                                  err));
    }
    return STK_OK;
}

const stk_image_op stk_image_op_cutout = {
    .name = "cutout",
    .help = "wipes out squares around random pixels",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(cutout_params),
    .random = true,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
