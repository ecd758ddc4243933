/* gamma: levels to a power, as torchvision's adjust_gamma on a Pillow image. */
#include "image/ops/area.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/lut.h"

#include <math.h>

enum { GAMMA_MAX = 100, GAIN_MAX = 1000 };

typedef struct gamma_params {
    double gamma[2], gain[2];
} gamma_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(gamma_params, gamma, STK_PARAM_NUMBERS), .count = 2, .max = GAMMA_MAX,
     .help = "above 1 makes shadows darker, below 1 lighter; a range is drawn from"},
    {STK_PARAM_ROW(gamma_params, gain, STK_PARAM_NUMBERS), .count = 2, .default_value = "1",
     .max = GAIN_MAX, .help = "a factor on the result; a range is drawn from"},
};

static stk_status check(void *params, stk_error *err)
{
    const gamma_params *p = params;
    STK_TRY(stk_check_range("gamma", "gamma", p->gamma, err));
    return stk_check_range("gamma", "gain", p->gain, err);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const gamma_params *p = params;
    const double        power = stk_draw_uniform(random, p->gamma);
    const double        gain = stk_draw_uniform(random, p->gain);
    uint8_t             table[STK_LUT_SIZE];
    (void)err;
    for (int level = 0; level < STK_LUT_SIZE; level++)
        table[level] = (uint8_t)fmin(255, (256 - 1e-3) * gain * pow(level / 255.0, power));
    stk_lut_apply(canvas->pixels.data, stk_area_bytes(&canvas->pixels), table);
    return STK_OK;
}

const stk_image_op stk_image_op_gamma = {
    .name = "gamma",
    .help = "raises levels to a power",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(gamma_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
};
