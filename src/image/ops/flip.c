/* flip: mirrors left and right, or top and bottom. */
#include "image/ops/image_ops.h"

enum { HORIZONTAL, VERTICAL };

typedef struct flip_params {
    int axis;
} flip_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(flip_params, axis, STK_PARAM_ENUM), .default_value = "horizontal",
     .choices = STK_PARAM_WORDS("horizontal", "vertical"),
     .help = "horizontal swaps left and right, vertical top and bottom"},
};

static stk_status choose_geometry(const void *params, stk_random *random, int32_t width,
                                  int32_t height, stk_geometry *out, stk_error *err)
{
    const flip_params *p = params;
    (void)random, (void)err;
    *out = (stk_geometry){.window = {0, 0, width, height},
                          .flip_x = p->axis == HORIZONTAL,
                          .flip_y = p->axis == VERTICAL};
    return STK_OK;
}

const stk_image_op stk_image_op_flip = {
    .name = "flip",
    .help = "mirrors an image",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(flip_params),
    .geometry = choose_geometry,
};
