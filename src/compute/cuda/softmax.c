/* softmax(x) and softmax_grad(dy, y) */
#include "compute/cuda_kernels/softmax.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"

static stk_status start(const stk_kernel_call *call, const void *x, const void *dy, stk_error *err)
{
    const stk_shape      *shape = &call->instance.in[0].shape;
    int64_t               width = shape->dim[shape->rank - 1];
    stk_cuda_softmax_args args = {.dtype = (int)call->instance.in[0].dtype,
                                  .rows =
                                      width ? stk_type_elements(&call->instance.in[0]) / width : 0,
                                  .width = width,
                                  .x = x,
                                  .dy = dy,
                                  .out = call->out[0]};
    return stk_cuda_launched(
        call, stk_cuda_softmax_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static stk_status run_value(const stk_kernel_call *call, stk_error *err)
{
    return start(call, call->in[0], NULL, err);
}

static stk_status run_grad(const stk_kernel_call *call, stk_error *err)
{
    return start(call, call->in[1], call->in[0], err);
}

static bool can_grad(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return instance->in[0].dtype == instance->in[1].dtype;
}

const stk_kernel stk_cuda_softmax = {
    .op = &stk_graph_op_softmax, .name = "native", .run = run_value};
const stk_kernel stk_cuda_softmax_grad = {
    .op = &stk_graph_op_softmax_grad, .name = "native", .can = can_grad, .run = run_grad};
