/* random_crop: a window of fixed size at a random position of the image with an optional border. */
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

typedef struct random_crop_params {
    double  size[2]; /* height, width */
    int32_t padding;
    bool    pad_if_needed;
    int     border;
    double  fill[3];
} random_crop_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(random_crop_params, size, STK_PARAM_NUMBERS), .count = 2, .min = 1,
     .max = STK_SIDE_MAX, .help = "height,width of the result; one number for a square"},
    {STK_PARAM_ROW(random_crop_params, padding, STK_PARAM_INT32), .default_value = "0",
     .max = STK_SIDE_MAX, .help = "pixels of border on each side that the window may reach into"},
    {STK_PARAM_ROW(random_crop_params, pad_if_needed, STK_PARAM_BOOL), .default_value = "false",
     .help = "give smaller images more border instead of refusing them"},
    {STK_PARAM_ROW(random_crop_params, border, STK_PARAM_ENUM), .default_value = "constant",
     .choices = STK_PARAM_WORDS("constant", "edge", "reflect"), .help = "what the border shows"},
    {STK_PARAM_ROW(random_crop_params, fill, STK_PARAM_NUMBERS), .count = 3, .default_value = "0",
     .max = 255, .help = "colour of a constant border"},
};

static stk_status check(void *params, stk_error *err)
{
    const random_crop_params *p = params;
    STK_TRY(stk_check_integer("random_crop", "size", p->size, err));
    return stk_check_size("random_crop", (int64_t)p->size[1], (int64_t)p->size[0], err);
}

/* The border's pixels before and after side, so that size fits. */
static stk_status border_of(const random_crop_params *p, int32_t side, int32_t size,
                            int32_t *border, stk_error *err)
{
    const int64_t lacking = size - (side + 2 * (int64_t)p->padding);
    *border = p->padding;
    if (lacking <= 0) return STK_OK;
    *border += (int32_t)lacking; /* on both sides, as torchvision does */
    if (p->pad_if_needed) return STK_OK;
    return stk_fail(err, STK_E_RANGE, "random_crop", "size",
                    "a side of %d with padding=%d is less than %d; set pad_if_needed=true, or "
                    "resize before",
                    (int)side, (int)p->padding, (int)size);
}

static int32_t draw(stk_random *random, int32_t side, int32_t size, int32_t border)
{
    const int64_t positions = side + 2 * (int64_t)border - size + 1;
    return (int32_t)((int64_t)stk_random_below(random, (uint64_t)positions) - border);
}

static stk_status choose_geometry(const void *params, stk_random *random, int32_t width,
                                  int32_t height, stk_geometry *out, stk_error *err)
{
    const random_crop_params *p = params;
    const int32_t             wide = (int32_t)p->size[1], high = (int32_t)p->size[0];
    int32_t                   beside, above;
    STK_TRY(border_of(p, width, wide, &beside, err));
    STK_TRY(border_of(p, height, high, &above, err));
    const int32_t y = draw(random, height, high, above);
    const int32_t x = draw(random, width, wide, beside);
    *out = (stk_geometry){.window = {x, y, wide, high}, .border = (stk_border)p->border};
    stk_colour_bytes(p->fill, out->fill);
    return stk_check_reflection("random_crop", out, width, height, err);
}

static void measure(const void *params, stk_image_size *size)
{
    const random_crop_params *p = params;
    size->height = (int32_t)p->size[0];
    size->width = (int32_t)p->size[1];
}

const stk_image_op stk_image_op_random_crop = {
    .name = "random_crop",
    .help = "cuts out a window at a random place",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(random_crop_params),
    .random = true,
    .check = check,
    .geometry = choose_geometry,
    .measure = measure,
};
