/* pad: a border around the image. */
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

typedef struct pad_params {
    int32_t padding;
    int32_t left, top, right, bottom; /* -1: padding */
    int     border;
    double  fill[3];
} pad_params;

#define SIDE(side, what)                                                                           \
    {                                                                                              \
        .name = #side, .kind = STK_PARAM_INT32, .offset = offsetof(pad_params, side),              \
        .default_value = "-1", .min = -1, .max = STK_SIDE_MAX,                                     \
        .help = "pixels " what "; -1: as padding"                                                  \
    }

static const stk_param parameters[] = {
    {STK_PARAM_ROW(pad_params, padding, STK_PARAM_INT32), .default_value = "0", .max = STK_SIDE_MAX,
     .help = "pixels on every side that has no number of its own"},
    SIDE(left, "on the left"),
    SIDE(top, "above"),
    SIDE(right, "on the right"),
    SIDE(bottom, "below"),
    {STK_PARAM_ROW(pad_params, border, STK_PARAM_ENUM), .default_value = "constant",
     .choices = STK_PARAM_WORDS("constant", "edge", "reflect"), .help = "what the border shows"},
    {STK_PARAM_ROW(pad_params, fill, STK_PARAM_NUMBERS), .count = 3, .default_value = "0",
     .max = 255, .help = "colour of a constant border"},
};

static int32_t side(const pad_params *p, int32_t own)
{
    return own < 0 ? p->padding : own;
}

/* Sides are below 2^31 and borders below 2^16, so 64 bits hold the sums. */
static void grow(const pad_params *p, int32_t width, int32_t height, int64_t out[2])
{
    out[0] = (int64_t)width + side(p, p->left) + side(p, p->right);
    out[1] = (int64_t)height + side(p, p->top) + side(p, p->bottom);
}

static stk_status choose_geometry(const void *params, stk_random *random, int32_t width,
                                  int32_t height, stk_geometry *out, stk_error *err)
{
    const pad_params *p = params;
    int64_t           size[2];
    (void)random;
    grow(p, width, height, size);
    STK_TRY(stk_check_size("pad", size[0], size[1], err));
    *out = (stk_geometry){
        .window = {-side(p, p->left), -side(p, p->top), (int32_t)size[0], (int32_t)size[1]},
        .border = (stk_border)p->border};
    stk_colour_bytes(p->fill, out->fill);
    return stk_check_reflection("pad", out, width, height, err);
}

static void measure(const void *params, stk_image_size *size)
{
    const pad_params *p = params;
    int64_t           grown[2];
    grow(p, size->width, size->height, grown);
    if (size->width > 0) size->width = grown[0] <= STK_SIDE_MAX ? (int32_t)grown[0] : -1;
    if (size->height > 0) size->height = grown[1] <= STK_SIDE_MAX ? (int32_t)grown[1] : -1;
}

const stk_image_op stk_image_op_pad = {
    .name = "pad",
    .help = "puts a border around the image",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(pad_params),
    .geometry = choose_geometry,
    .measure = measure,
};
