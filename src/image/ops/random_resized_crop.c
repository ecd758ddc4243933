/* random_resized_crop: a window of random area and shape, resampled to a fixed size. The draws are
 * torchvision's: ten tries, then the largest window in the middle whose shape is allowed. */
#include "image/ops/check.h"
#include "image/ops/image_ops.h"
#include "image/ops/sampling.h"

#include <math.h>

enum { TRIES = 10 };

typedef struct random_resized_crop_params {
    double              size[2]; /* height, width */
    double              area[2];
    double              aspect[2]; /* width to height */
    stk_sampling_params sampling;
    double              log_aspect[2];
} random_resized_crop_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(random_resized_crop_params, size, STK_PARAM_NUMBERS), .count = 2, .min = 1,
     .max = STK_SIDE_MAX, .help = "height,width of the result; one number for a square"},
    {STK_PARAM_ROW(random_resized_crop_params, area, STK_PARAM_NUMBERS), .count = 2,
     .default_value = "0.08,1", .min = 1e-9, .max = 1,
     .help = "least and most part of the image that the window covers"},
    {STK_PARAM_ROW(random_resized_crop_params, aspect, STK_PARAM_NUMBERS), .count = 2,
     .default_value = "0.75,1.3333333333333333", .min = 1e-3, .max = 1e3,
     .help = "least and most width to height of the window"},
    STK_SAMPLING_PARAMETERS(random_resized_crop_params, sampling),
};

static stk_status check(void *params, stk_error *err)
{
    random_resized_crop_params *p = params;
    static const char           op[] = "random_resized_crop";
    STK_TRY(stk_check_integer(op, "size", p->size, err));
    STK_TRY(stk_check_size(op, (int64_t)p->size[1], (int64_t)p->size[0], err));
    STK_TRY(stk_check_range(op, "area", p->area, err));
    STK_TRY(stk_check_range(op, "aspect", p->aspect, err));
    p->log_aspect[0] = log(p->aspect[0]);
    p->log_aspect[1] = log(p->aspect[1]);
    return stk_sampling_check(op, &p->sampling, err);
}

/* Rounds halves to even, as Python; clamps to the largest image size. */
static int32_t rounded(double number)
{
    return (int32_t)fmin(rint(number), INT32_MAX);
}

static bool draw(const random_resized_crop_params *p, stk_random *random, int32_t width,
                 int32_t height, stk_rect *out)
{
    const double  area = (double)width * height * stk_draw_uniform(random, p->area);
    const double  aspect = exp(stk_draw_uniform(random, p->log_aspect));
    const int32_t wide = rounded(sqrt(area * aspect)), high = rounded(sqrt(area / aspect));
    if (wide < 1 || wide > width || high < 1 || high > height) return false;
    out->width = wide;
    out->height = high;
    out->y = (int32_t)stk_random_below(random, (uint64_t)(height - high) + 1);
    out->x = (int32_t)stk_random_below(random, (uint64_t)(width - wide) + 1);
    return true;
}

static stk_rect middle(const random_resized_crop_params *p, int32_t width, int32_t height)
{
    const double aspect = (double)width / height;
    int32_t      wide = width, high = height;
    if (aspect < p->aspect[0]) high = rounded(width / p->aspect[0]);
    if (aspect > p->aspect[1]) wide = rounded(height * p->aspect[1]);
    if (high < 1) high = 1;
    if (wide < 1) wide = 1;
    return (stk_rect){(width - wide) / 2, (height - high) / 2, wide, high};
}

static stk_status choose_geometry(const void *params, stk_random *random, int32_t width,
                                  int32_t height, stk_geometry *out, stk_error *err)
{
    const random_resized_crop_params *p = params;
    (void)err;
    *out = (stk_geometry){.width = (int32_t)p->size[1],
                          .height = (int32_t)p->size[0],
                          .sampling = stk_sampling_of(&p->sampling)};
    for (int i = 0; i < TRIES; i++)
        if (draw(p, random, width, height, &out->window)) return STK_OK;
    out->window = middle(p, width, height);
    return STK_OK;
}

static void measure(const void *params, stk_image_size *size)
{
    const random_resized_crop_params *p = params;
    size->height = (int32_t)p->size[0];
    size->width = (int32_t)p->size[1];
}

const stk_image_op stk_image_op_random_resized_crop = {
    .name = "random_resized_crop",
    .help = "cuts out a window of random place, area and shape, and resamples it to one size",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(random_resized_crop_params),
    .random = true,
    .check = check,
    .geometry = choose_geometry,
    .measure = measure,
};
