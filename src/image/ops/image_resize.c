/* resize: the whole image at another size. */
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/sampling.h"

typedef struct resize_params {
    int32_t             size, width, height; /* 0: not given */
    stk_sampling_params sampling;
} resize_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(resize_params, size, STK_PARAM_INT32), .default_value = "0", .max = STK_SIDE_MAX,
     .help = "of the shorter side; the longer one keeps the shape"},
    {STK_PARAM_ROW(resize_params, width, STK_PARAM_INT32), .default_value = "0",
     .max = STK_SIDE_MAX, .help = "of the result, with height, instead of size"},
    {STK_PARAM_ROW(resize_params, height, STK_PARAM_INT32), .default_value = "0",
     .max = STK_SIDE_MAX, .help = "of the result, with width, instead of size"},
    STK_SAMPLING_PARAMETERS(resize_params, sampling),
};

static stk_status check(void *params, stk_error *err)
{
    const resize_params *p = params;
    if (p->size ? p->width || p->height : !p->width || !p->height)
        return stk_fail(err, STK_E_INVALID, "resize", "size",
                        "size=%d width=%d height=%d: give size, or width and height", (int)p->size,
                        (int)p->width, (int)p->height);
    if (!p->size) STK_TRY(stk_check_size("resize", p->width, p->height, err));
    return stk_sampling_check("resize", &p->sampling, err);
}

/* The longer side is rounded down, as in torchvision. */
static void scale(const resize_params *p, int32_t width, int32_t height, int64_t out[2])
{
    out[0] = p->width;
    out[1] = p->height;
    if (!p->size) return;
    out[0] = width <= height ? p->size : p->size * (int64_t)width / height;
    out[1] = width <= height ? p->size * (int64_t)height / width : p->size;
}

static stk_status choose_geometry(const void *params, stk_random *random, int32_t width,
                                  int32_t height, stk_geometry *out, stk_error *err)
{
    const resize_params *p = params;
    int64_t              size[2];
    (void)random;
    scale(p, width, height, size);
    STK_TRY(stk_check_size("resize", size[0], size[1], err));
    *out = (stk_geometry){.window = {0, 0, width, height},
                          .width = (int32_t)size[0],
                          .height = (int32_t)size[1],
                          .sampling = stk_sampling_of(&p->sampling)};
    return STK_OK;
}

static void measure(const void *params, stk_image_size *size)
{
    const resize_params *p = params;
    int64_t              scaled[2] = {-1, -1};
    if (!p->size || (size->width > 0 && size->height > 0))
        scale(p, size->width, size->height, scaled);
    const bool fits = !stk_check_size("resize", scaled[0], scaled[1], NULL);
    size->width = fits ? (int32_t)scaled[0] : -1;
    size->height = fits ? (int32_t)scaled[1] : -1;
}

const stk_image_op stk_image_op_resize = {
    .name = "resize",
    .help = "resamples the whole image",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(resize_params),
    .check = check,
    .geometry = choose_geometry,
    .measure = measure,
};
