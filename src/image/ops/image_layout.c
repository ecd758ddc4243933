/* layout: channels last or channels first. */
#include "image/ops/image_ops.h"

enum { NHWC, NCHW };

typedef struct layout_params {
    int order;
} layout_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(layout_params, order, STK_PARAM_ENUM),
     .choices = STK_PARAM_WORDS("nhwc", "nchw"),
     .help = "nhwc: channels last, as decoded; nchw: channels first, in planes"},
};

static stk_status set_output(const void *params, stk_output_format *ending, stk_error *err)
{
    (void)err;
    ending->planar = ((const layout_params *)params)->order == NCHW;
    return STK_OK;
}

static void measure(const void *params, stk_image_size *size)
{
    size->planar = ((const layout_params *)params)->order == NCHW;
}

const stk_image_op stk_image_op_layout = {
    .name = "layout",
    .help = "puts the channels last or first",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(layout_params),
    .output = set_output,
    .measure = measure,
};
