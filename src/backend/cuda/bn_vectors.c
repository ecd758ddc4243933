/* bn_finalize and bn_fold */
#include "backend/cuda/own/bn_vectors.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/kernels.h"
#include "ops/batch_norm.h"
#include "ops/ops.h"

static stk_status run_finalize(const stk_kernel_call *call, stk_error *err)
{
    enum { MEAN, VAR, GAMMA, BETA, RUNNING_MEAN, RUNNING_VAR };
    enum { SCALE, SHIFT, INVSTD, NEXT_MEAN, NEXT_VAR };
    const stk_bn_finalize_attrs *attrs = call->use.attrs;
    double                       count = (double)attrs->count;
    stk_cuda_bn_vectors_args     args = {.channels = call->use.in[MEAN].shape.dim[0],
                                         .epsilon = attrs->epsilon,
                                         .momentum = attrs->momentum,
                                         .unbias = count > 1 ? count / (count - 1) : 1,
                                         .mean = call->in[MEAN],
                                         .var = call->in[VAR],
                                         .gamma = call->in[GAMMA],
                                         .beta = call->in[BETA],
                                         .running_mean = call->in[RUNNING_MEAN],
                                         .running_var = call->in[RUNNING_VAR],
                                         .scale = call->out[SCALE],
                                         .shift = call->out[SHIFT],
                                         .invstd = call->out[INVSTD],
                                         .next_mean = call->out[NEXT_MEAN],
                                         .next_var = call->out[NEXT_VAR]};
    return stk_cuda_launched(
        call, stk_cuda_bn_vectors_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static stk_status run_fold(const stk_kernel_call *call, stk_error *err)
{
    enum { GAMMA, BETA, MEAN, VAR };
    const stk_bn_fold_attrs *attrs = call->use.attrs;
    stk_cuda_bn_vectors_args args = {.channels = call->use.in[GAMMA].shape.dim[0],
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
    .op = &stk_graph_op_bn_finalize, .name = "own", .run = run_finalize};
const stk_kernel stk_cuda_bn_fold = {.op = &stk_graph_op_bn_fold, .name = "own", .run = run_fold};
