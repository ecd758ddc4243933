/* scale: x * scale + shift */
#include "compute/cuda_kernels/scale.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_scale_attrs *attrs = call->instance.attrs;
    int64_t     count = stk_cuda_layout_of(&call->instance.in[0], call->in_format[0]).elements;
    cudaError_t code = stk_cuda_scale_launch(
        (int)call->instance.in[0].dtype, call->in[0], call->out[0], count, (float)attrs->scale,
        (float)attrs->shift, stk_cuda_of(call->device)->stream);
    return stk_cuda_launched(call, code, err);
}

/* A shift would change the padding, which must stay zero. */
static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    const stk_scale_attrs *attrs = instance->attrs;
    if (attrs->shift == 0) return stk_cuda_formats_same(device, instance, have, in, out, err);
    in[0] = out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

const stk_kernel stk_cuda_scale = {
    .op = &stk_graph_op_scale, .name = "native", .formats = formats, .run = run};
