/* dropout(x, step) */
#include "compute/cuda_kernels/dropout.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <math.h>

/* Rows are contiguous in every format; elements are numbered row-major. */
static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    const stk_dropout_attrs *attrs = instance->attrs;
    if (attrs->rows) return stk_cuda_formats_same(device, instance, have, in, out, err);
    in[0] = in[1] = out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_dropout_attrs *attrs = call->instance.attrs;
    const stk_tensor_type   *type = &call->instance.in[0];
    stk_cuda_layout          layout = stk_cuda_layout_of(type, call->in_format[0]);
    stk_cuda_dropout_args    args = {.dtype = (int)type->dtype,
                                     .count = layout.elements,
                                     .group_size = 1,
                                     .seed = attrs->seed,
                                     .keep_from = (uint64_t)ceil(attrs->rate * 0x1p32),
                                     .stream = attrs->stream,
                                     .scale = (float)(1 / (1 - attrs->rate)),
                                     .step = call->in[1],
                                     .x = call->in[0],
                                     .y = call->out[0]};
    if (attrs->rows && args.count) args.group_size = args.count / type->shape.dim[0];
    return stk_cuda_launched(
        call, stk_cuda_dropout_launch(&args, stk_cuda_of(call->device)->stream), err);
}

const stk_kernel stk_cuda_dropout = {
    .op = &stk_graph_op_dropout, .name = "native", .formats = formats, .run = run};
