/* normalize_image(x): writes the format of the first convolution. */
#include "compute/cuda_kernels/normalize_image.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    stk_format pad = stk_cuda_padding_of(&instance->out[0]);
    bool full = stk_cuda_layout_of(&instance->out[0], pad).padded == instance->out[0].shape.dim[3];
    (void)device, (void)have, (void)err;
    in[0] = STK_FORMAT_PLAIN;
    out[0] = full ? (stk_format)STK_FORMAT_PLAIN : pad;
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_normalize_image_attrs *attrs = call->instance.attrs;
    stk_cuda_layout layout = stk_cuda_layout_of(&call->instance.out[0], call->out_format[0]);
    stk_cuda_normalize_image_args args = {
        .dtype = (int)call->instance.out[0].dtype,
        .channels = attrs->channels,
        .padded = (int)layout.padded,
        .pixels = layout.elements / layout.padded,
        .x = call->in[0],
        .y = call->out[0],
    };
    for (int c = 0; c < attrs->channels; c++) {
        args.scale[c] = (float)(1 / (255 * (double)attrs->deviation[c]));
        args.shift[c] = (float)(-(double)attrs->mean[c] / (double)attrs->deviation[c]);
    }
    return stk_cuda_launched(
        call, stk_cuda_normalize_image_launch(&args, stk_cuda_of(call->device)->stream), err);
}

const stk_kernel stk_cuda_normalize_image = {
    .op = &stk_graph_op_normalize_image, .name = "native", .formats = formats, .run = run};
