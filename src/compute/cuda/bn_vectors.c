/* bn_finalize and bn_fold */
#include "compute/cuda/bn.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

stk_cuda_bn_vectors_args stk_cuda_bn_vectors_of(const stk_kernel_call *call, int gamma, int scale)
{
    const stk_bn_finalize_attrs *attrs = call->instance.attrs;
    double                       count = (double)attrs->count;
    const void *const           *in = call->in + gamma;
    void *const                 *out = call->out + scale;
    return (stk_cuda_bn_vectors_args){.channels = call->instance.in[gamma].shape.dim[0],
                                      .epsilon = attrs->epsilon,
                                      .momentum = attrs->momentum,
                                      .unbias = count > 1 ? count / (count - 1) : 1,
                                      .gamma = in[0],
                                      .beta = in[1],
                                      .running_mean = in[2],
                                      .running_var = in[3],
                                      .scale = out[0],
                                      .shift = out[1],
                                      .invstd = out[2],
                                      .next_mean = out[3],
                                      .next_var = out[4]};
}

static stk_status run_finalize(const stk_kernel_call *call, stk_error *err)
{
    enum { MEAN, VAR, GAMMA };
    stk_cuda_bn_vectors_args args = stk_cuda_bn_vectors_of(call, GAMMA, 0);
    args.mean = call->in[MEAN];
    args.var = call->in[VAR];
    return stk_cuda_launched(
        call, stk_cuda_bn_vectors_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static stk_status run_fold(const stk_kernel_call *call, stk_error *err)
{
    enum { GAMMA, BETA, MEAN, VAR };
    const stk_bn_fold_attrs *attrs = call->instance.attrs;
    stk_cuda_bn_vectors_args args = {.channels = call->instance.in[GAMMA].shape.dim[0],
                                     .epsilon = attrs->epsilon,
                                     .mean = call->in[MEAN],
                                     .var = call->in[VAR],
                                     .gamma = call->in[GAMMA],
                                     .beta = call->in[BETA],
                                     .scale = call->out[0],
                                     .shift = call->out[1]};
    return stk_cuda_launched(
        call, stk_cuda_bn_vectors_launch(&args, stk_cuda_of(call->device)->stream), err);
}

const stk_kernel stk_cuda_bn_finalize = {
    .op = &stk_graph_op_bn_finalize, .name = "native", .run = run_finalize};
const stk_kernel stk_cuda_bn_fold = {
    .op = &stk_graph_op_bn_fold, .name = "native", .run = run_fold};
