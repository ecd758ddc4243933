/* crop: a window at a fixed position. */
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

typedef struct crop_params {
    int32_t x, y, width, height;
} crop_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(crop_params, x, STK_PARAM_INT32), .default_value = "0", .max = STK_SIDE_MAX,
     .help = "pixels left of the window"},
    {STK_PARAM_ROW(crop_params, y, STK_PARAM_INT32), .default_value = "0", .max = STK_SIDE_MAX,
     .help = "pixels above the window"},
    {STK_PARAM_ROW(crop_params, width, STK_PARAM_INT32), .min = 1, .max = STK_SIDE_MAX,
     .help = "of the window"},
    {STK_PARAM_ROW(crop_params, height, STK_PARAM_INT32), .min = 1, .max = STK_SIDE_MAX,
     .help = "of the window"},
};

static stk_status choose_geometry(const void *params, stk_random *random, int32_t width,
                                  int32_t height, stk_geometry *out, stk_error *err)
{
    const crop_params *p = params;
    (void)random;
    if (p->x + (int64_t)p->width > width || p->y + (int64_t)p->height > height)
        return stk_fail(err, STK_E_RANGE, "crop", NULL,
                        "a window of %d x %d at %d,%d reaches past an image of %d x %d",
                        (int)p->width, (int)p->height, (int)p->x, (int)p->y, (int)width,
                        (int)height);
    *out = (stk_geometry){.window = {p->x, p->y, p->width, p->height}};
    return STK_OK;
}

static void measure(const void *params, stk_image_size *size)
{
    const crop_params *p = params;
    size->width = p->width;
    size->height = p->height;
}

const stk_image_op stk_image_op_crop = {
    .name = "crop",
    .help = "cuts out a window at a fixed place",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(crop_params),
    .geometry = choose_geometry,
    .measure = measure,
};
