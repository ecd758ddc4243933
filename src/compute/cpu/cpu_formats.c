/* Formats of images, and formats functions that kernels share. */
#include "compute/cpu/cpu.h"

stk_channels stk_channels_of(const stk_tensor_type *type, stk_format format)
{
    int          rank = type->shape.rank;
    stk_channels c = {.outer = 1, .blocks = 1, .inner = 1};
    c.channels = rank ? type->shape.dim[rank - 1] : 1;
    c.block = c.channels;
    for (int i = 0; i < rank - 1; i++)
        *(i == 0 ? &c.outer : &c.inner) *= type->shape.dim[i];
    if (format != STK_FORMAT_C8 && format != STK_FORMAT_C16) return c;
    c.block = format;
    c.blocks = (c.channels + format - 1) / format;
    return c;
}

stk_status stk_formats_follow(const stk_op_instance *instance, const stk_format *have, int lead,
                              stk_format *in, stk_format *out)
{
    const stk_shape *shape = &instance->in[lead].shape;
    stk_format format = have[lead] == (stk_format)STK_FORMAT_ANY ? STK_FORMAT_PLAIN : have[lead];
    for (int i = 0; i < instance->input_count; i++)
        in[i] = stk_shape_equal(&instance->in[i].shape, shape) ? format : STK_FORMAT_PLAIN;
    for (int o = 0; o < instance->output_count; o++)
        out[o] = stk_shape_equal(&instance->out[o].shape, shape) ? format : STK_FORMAT_PLAIN;
    return STK_OK;
}

stk_status stk_formats_follow_first(stk_device *device, const stk_op_instance *instance,
                                    const stk_format *have, stk_format *in, stk_format *out,
                                    stk_error *err)
{
    (void)device, (void)err;
    return stk_formats_follow(instance, have, 0, in, out);
}
