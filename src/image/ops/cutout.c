/* cutout: a square around a random pixel is wiped out; what is outside the picture is lost (DeVries
 * and Taylor, 2017). */
#include "image/ops/check.h"
#include "image/ops/fill.h"
#include "image/ops/ops.h"

enum { HOLES_MOST = 1000 };

typedef struct cutout_params {
    int32_t size, holes;
    double  fill[3];
} cutout_params;

static const stk_image_parameter parameters[] = {
    {.name = "size",
     .kind = STK_PARAMETER_INTEGER,
     .offset = offsetof(cutout_params, size),
     .least = 1,
     .most = STK_SIDE_MOST,
     .help = "side of the square in pixels"},
    {.name = "holes",
     .kind = STK_PARAMETER_INTEGER,
     .offset = offsetof(cutout_params, holes),
     .fallback = "1",
     .least = 1,
     .most = HOLES_MOST,
     .help = "how many squares"},
    {.name = "fill",
     .kind = STK_PARAMETER_COLOUR,
     .offset = offsetof(cutout_params, fill),
     .fallback = "0",
     .most = 255,
     .help = "their colour"},
};

static stk_status paint(const void *params, stk_random *random, stk_canvas *canvas, stk_error *err)
{
    const cutout_params *p = params;
    const stk_pixels    *pixels = &canvas->pixels;
    uint8_t              colour[3];
    (void)err;
    stk_colour_bytes(p->fill, colour);
    for (int32_t i = 0; i < p->holes; i++) {
        const int32_t y = (int32_t)stk_random_below(random, (uint64_t)pixels->height);
        const int32_t x = (int32_t)stk_random_below(random, (uint64_t)pixels->width);
        const int32_t half = p->size / 2;
        stk_fill_rect(pixels, (stk_rect){x - half, y - half, p->size, p->size}, colour);
    }
    return STK_OK;
}

const stk_image_op stk_image_op_cutout = {
    .name = "cutout",
    .help = "wipes out squares around random pixels",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(cutout_params),
    .random = true,
    .paint = paint,
};
