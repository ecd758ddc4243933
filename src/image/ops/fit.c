/* fit: resizes images of any size to one size. An image of that size is unchanged; of others the
 * largest central window of its shape is resampled, without border. A long image loses at most a
 * fraction of its length; beyond that its aspect ratio changes. */
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/sampling.h"

#include <math.h>

typedef struct fit_params {
    int32_t             size; /* 0: as it is */
    double              max_ratio;
    stk_sampling_params sampling;
} fit_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(fit_params, size, STK_PARAM_INT32), .default_value = "0", .max = STK_SIDE_MAX,
     .help =
         "of a side of the result, which is a square; 0: images keep theirs, but for long ones"},
    {STK_PARAM_ROW(fit_params, max_ratio, STK_PARAM_DOUBLE), .renamed_from = "longest",
     .default_value = "2", .min = 1, .max = 1e6,
     .help = "times the breadth: longer images are squeezed to this shape first"},
    STK_SAMPLING_PARAMETERS(fit_params, sampling),
};

static stk_status check(void *params, stk_error *err)
{
    const fit_params *p = params;
    if (p->size) STK_TRY(stk_check_size("fit", p->size, p->size, err));
    return stk_sampling_check("fit", &p->sampling, err);
}

/* The part of a side that is shown: all of the shorter one; of the longer one as much, but no less
 * than what squeezing leaves of it. */
static int32_t shown(const fit_params *p, int32_t side, int32_t other)
{
    const int32_t squeezed = (int32_t)ceil(side / p->max_ratio);
    if (side <= other) return side;
    return squeezed > other ? squeezed : other;
}

/* To the longest shape that is allowed, with as many pixels as there are. */
static void squeeze(const fit_params *p, int32_t width, int32_t height, int32_t out[2])
{
    const bool   wide = width > height;
    const double length = wide ? width : height, breadth = wide ? height : width;
    const double shorter = sqrt(length * breadth / p->max_ratio);
    out[0] = width;
    out[1] = height;
    if (length <= breadth * p->max_ratio) return;
    out[!wide] = (int32_t)ceil(shorter * p->max_ratio); /* at most length: checked above */
    out[wide] = (int32_t)ceil(shorter);
}

static stk_status choose_geometry(const void *params, stk_random *random, int32_t width,
                                  int32_t height, stk_geometry *out, stk_error *err)
{
    const fit_params *p = params;
    int32_t           wide = width, high = height, size[2] = {p->size, p->size};
    (void)random;
    if (p->size && (width != p->size || height != p->size)) {
        wide = shown(p, width, height);
        high = shown(p, height, width);
    } else if (!p->size) {
        squeeze(p, width, height, size);
        STK_TRY(stk_check_size("fit", size[0], size[1], err));
    }
    *out = (stk_geometry){.window = {(width - wide) / 2, (height - high) / 2, wide, high},
                          .width = size[0],
                          .height = size[1],
                          .sampling = stk_sampling_of(&p->sampling)};
    return STK_OK;
}

static void measure(const void *params, stk_image_size *size)
{
    const fit_params *p = params;
    int32_t           squeezed[2] = {p->size ? p->size : -1, p->size ? p->size : -1};
    if (!p->size && size->width > 0 && size->height > 0)
        squeeze(p, size->width, size->height, squeezed);
    size->width = squeezed[0];
    size->height = squeezed[1];
}

const stk_image_op stk_image_op_fit = {
    .name = "fit",
    .help = "gives images one size by resampling the most of them that has its shape",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(fit_params),
    .check = check,
    .geometry = choose_geometry,
    .measure = measure,
};
