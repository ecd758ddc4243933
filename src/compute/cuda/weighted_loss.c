/* weighted_cross_entropy and its gradient. */
#include "compute/cuda_kernels/weighted_loss.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"

enum { LOGITS, LABELS, DLOSS };

static stk_cuda_weighted_args args_of(const stk_kernel_call *call, int weights)
{
    const stk_weighted_entropy_attrs *attrs = call->instance.attrs;
    const stk_tensor_type            *logits = &call->instance.in[LOGITS];
    const stk_tensor_type            *labels = &call->instance.in[LABELS];
    return (stk_cuda_weighted_args){
        .dtype = (int)logits->dtype,
        .logits = call->in[LOGITS],
        .labels = {call->in[LABELS], (int)labels->dtype, logits->shape.dim[0],
                   logits->shape.dim[1]},
        .weights = call->instance.input_count > weights ? call->in[weights] : NULL,
        .smoothing = (float)attrs->smoothing,
        .gamma = (float)attrs->gamma,
        .total = call->scratch,
        .each = (float *)((double *)call->scratch + 1)};
}

/* The sum of weights, and one float per row. */
static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    *scratch =
        sizeof(double) + ((size_t)call->instance.in[LOGITS].shape.dim[0] + 1) * sizeof(float);
    return STK_OK;
}

static stk_status run_loss(const stk_kernel_call *call, stk_error *err)
{
    const stk_cuda_weighted_args args = args_of(call, LABELS + 1);
    cudaStream_t                 stream = stk_cuda_of(call->device)->stream;
    return stk_cuda_launched(call, stk_cuda_weighted_loss_launch(&args, call->out[0], stream), err);
}

static stk_status run_grad(const stk_kernel_call *call, stk_error *err)
{
    const stk_cuda_weighted_args args = args_of(call, DLOSS + 1);
    cudaError_t code = stk_cuda_weighted_loss_grad_launch(&args, call->in[DLOSS], call->out[0],
                                                          stk_cuda_of(call->device)->stream);
    return stk_cuda_launched(call, code, err);
}

static bool can_grad(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return instance->in[DLOSS].dtype == STK_DTYPE_F32;
}

const stk_kernel stk_cuda_weighted_cross_entropy = {.op = &stk_graph_op_weighted_cross_entropy,
                                                    .name = "native",
                                                    .prepare = prepare,
                                                    .run = run_loss};
const stk_kernel stk_cuda_weighted_cross_entropy_grad = {
    .op = &stk_graph_op_weighted_cross_entropy_grad,
    .name = "native",
    .can = can_grad,
    .prepare = prepare,
    .run = run_grad,
};
