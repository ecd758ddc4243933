/* upsample(x) and upsample_grad(dy). Images are plain. */
#include "compute/cuda_kernels/upsample.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stoker/ops.h>

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    const stk_shape *a = &instance->in[0].shape, *b = &instance->out[0].shape;
    (void)device;
    return a->dim[1] < 1 << 24 && b->dim[1] < 1 << 24 && a->dim[2] * a->dim[3] <= INT32_MAX &&
           b->dim[2] * b->dim[3] <= INT32_MAX;
}

static stk_cuda_upsample_args args_of(const stk_kernel_call *call, const stk_shape *small)
{
    const stk_upsample_attrs *attrs = call->instance.attrs;
    return (stk_cuda_upsample_args){
        .dtype = (int)call->instance.out[0].dtype,
        .batch = small->dim[0],
        .channels = small->dim[3],
        .height = (int)small->dim[1],
        .width = (int)small->dim[2],
        .factor = attrs->factor,
        .linear = attrs->kind == STK_UPSAMPLE_BILINEAR,
        .src = call->in[0],
        .dst = call->out[0],
    };
}

static stk_status run_value(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_upsample_args args = args_of(call, &call->instance.in[0].shape);
    return stk_cuda_launched(
        call, stk_cuda_upsample_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static stk_status run_grad(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_upsample_args args = args_of(call, &call->instance.out[0].shape);
    return stk_cuda_launched(
        call, stk_cuda_upsample_grad_launch(&args, stk_cuda_of(call->device)->stream), err);
}

const stk_kernel stk_cuda_upsample = {
    .op = &stk_graph_op_upsample, .name = "native", .can = can, .run = run_value};
const stk_kernel stk_cuda_upsample_grad = {
    .op = &stk_graph_op_upsample_grad, .name = "native", .can = can, .run = run_grad};
