/* layer_norm(x, gamma, beta) and layer_norm_grad(dy, x, gamma, mean, invstd) */
#include "compute/cuda_kernels/layer_norm.h"
#include "compute/cuda/channel_rows.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"

enum { DY, X, GAMMA, MEAN, INVSTD };

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_layer_norm_attrs *attrs = call->instance.attrs;
    stk_cuda_layer_norm_args    args = {.dtype = (int)call->instance.in[0].dtype,
                                        .rows = stk_type_elements(&call->instance.out[1]),
                                        .width = call->instance.in[1].shape.dim[0],
                                        .epsilon = (float)attrs->epsilon,
                                        .x = call->in[0],
                                        .gamma = call->in[1],
                                        .beta = call->in[2],
                                        .y = call->out[0],
                                        .mean = call->out[1],
                                        .invstd = call->out[2]};
    return stk_cuda_launched(
        call, stk_cuda_layer_norm_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static bool can_back(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return stk_cuda_rows_can_sum(&instance->in[X]);
}

static stk_cuda_rows rows_to_sum(const stk_kernel_call *call)
{
    return stk_cuda_rows_to_sum(call->device, &call->instance.in[X], call->in_format[X]);
}

static stk_status prepare_back(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    stk_cuda_rows rows = rows_to_sum(call);
    *scratch = stk_cuda_rows_bytes(&rows, STK_CUDA_LAYER_NORM_VALUES);
    return STK_OK;
}

static stk_status run_back(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda                     *cuda = stk_cuda_of(call->device);
    stk_cuda_layer_norm_grad_args args = {.dtype = (int)call->instance.in[DY].dtype,
                                          .rows = stk_type_elements(&call->instance.in[MEAN]),
                                          .width = call->instance.in[GAMMA].shape.dim[0],
                                          .sum = rows_to_sum(call),
                                          .dy = call->in[DY],
                                          .x = call->in[X],
                                          .gamma = call->in[GAMMA],
                                          .mean = call->in[MEAN],
                                          .invstd = call->in[INVSTD],
                                          .partials = call->scratch,
                                          .counters = cuda->counters,
                                          .dx = call->out[0],
                                          .dgamma = call->out[1],
                                          .dbeta = call->out[2]};
    return stk_cuda_launched(call, stk_cuda_layer_norm_grad_launch(&args, cuda->stream), err);
}

const stk_kernel stk_cuda_layer_norm = {
    .op = &stk_graph_op_layer_norm, .name = "native", .run = run};
const stk_kernel stk_cuda_layer_norm_grad = {.op = &stk_graph_op_layer_norm_grad,
                                             .name = "native",
                                             .can = can_back,
                                             .prepare = prepare_back,
                                             .run = run_back};
