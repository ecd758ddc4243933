/* Losses and metrics of logits and labels: softmax_cross_entropy and its gradient, top_k_correct,
 * count_labels. */
#include "compute/cuda_kernels/labels.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/labels.h"
#include "compute/ops/update_ops.h"

enum { LOGITS, LABELS, DLOSS };

static stk_cuda_labels labels_of(const stk_kernel_call *call, int input, int64_t classes)
{
    const stk_tensor_type *type = &call->instance.in[input];
    return (stk_cuda_labels){call->in[input], (int)type->dtype, type->shape.dim[0], classes};
}

static stk_cuda_loss_args args_of(const stk_kernel_call *call)
{
    const stk_tensor_type *logits = &call->instance.in[LOGITS];
    return (stk_cuda_loss_args){.dtype = (int)logits->dtype,
                                .logits = call->in[LOGITS],
                                .labels = labels_of(call, LABELS, logits->shape.dim[1]),
                                .each = call->scratch};
}

/* One float per row; the gradient stores a row count there, in eight bytes. */
static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    *scratch = ((size_t)call->instance.in[LOGITS].shape.dim[0] + 2) * sizeof(float);
    return STK_OK;
}

static stk_status run_loss(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_loss_args args = args_of(call);
    args.smoothing = (float)((const stk_cross_entropy_attrs *)call->instance.attrs)->smoothing;
    cudaStream_t stream = stk_cuda_of(call->device)->stream;
    return stk_cuda_launched(call, stk_cuda_cross_entropy_launch(&args, call->out[0], stream), err);
}

static stk_status run_loss_grad(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_loss_args args = args_of(call);
    args.smoothing = (float)((const stk_cross_entropy_attrs *)call->instance.attrs)->smoothing;
    cudaError_t code = stk_cuda_cross_entropy_grad_launch(&args, call->in[DLOSS], call->out[0],
                                                          stk_cuda_of(call->device)->stream);
    return stk_cuda_launched(call, code, err);
}

static bool can_loss_grad(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return instance->in[DLOSS].dtype == STK_DTYPE_F32;
}

static stk_status run_top_k(const stk_kernel_call *call, stk_error *err)
{
    const stk_top_k_attrs *attrs = call->instance.attrs;
    stk_cuda_loss_args     args = args_of(call);
    cudaError_t            code =
        stk_cuda_top_k_launch(&args, attrs->k, call->out[0], stk_cuda_of(call->device)->stream);
    return stk_cuda_launched(call, code, err);
}

static stk_status run_count(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_labels labels = labels_of(call, 0, INT64_MAX);
    cudaStream_t    stream = stk_cuda_of(call->device)->stream;
    return stk_cuda_launched(call, stk_cuda_count_labels_launch(&labels, call->out[0], stream),
                             err);
}

const stk_kernel stk_cuda_softmax_cross_entropy = {.op = &stk_graph_op_softmax_cross_entropy,
                                                   .name = "native",
                                                   .prepare = prepare,
                                                   .run = run_loss};
const stk_kernel stk_cuda_softmax_cross_entropy_grad = {
    .op = &stk_graph_op_softmax_cross_entropy_grad,
    .name = "native",
    .can = can_loss_grad,
    .prepare = prepare,
    .run = run_loss_grad,
};
const stk_kernel stk_cuda_top_k_correct = {
    .op = &stk_graph_op_top_k_correct, .name = "native", .prepare = prepare, .run = run_top_k};
const stk_kernel stk_cuda_count_labels = {
    .op = &stk_graph_op_count_labels, .name = "native", .run = run_count};
