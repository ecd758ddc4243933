/* pad_channels: channels of 0 after those of the image, for kernels that want 4 of them. */
#include "image/ops/image_ops.h"

enum { CHANNELS_MAX = 4 };

typedef struct pad_channels_params {
    int32_t count;
} pad_channels_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(pad_channels_params, count, STK_PARAM_INT32), .default_value = "4", .min = 1,
     .max = CHANNELS_MAX, .help = "channels of the result; those that the image lacks are 0"},
};

static stk_status set_output(const void *params, stk_output_format *ending, stk_error *err)
{
    const pad_channels_params *p = params;
    if (ending->channels > p->count)
        return stk_fail(err, STK_E_INVALID, "pad_channels", "count",
                        "there are %d channels already, more than %d", (int)ending->channels,
                        (int)p->count);
    ending->channels = p->count;
    return STK_OK;
}

static void measure(const void *params, stk_image_size *size)
{
    size->channels = ((const pad_channels_params *)params)->count;
}

const stk_image_op stk_image_op_pad_channels = {
    .name = "pad_channels",
    .help = "adds channels of 0",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(pad_channels_params),
    .output = set_output,
    .measure = measure,
};
