/* bn_stats(x) and bn_stats_finalize(x, gamma, beta, running_mean, running_var) */
#include "compute/cuda/bn.h"
#include "compute/cuda/channel_rows.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return stk_cuda_rows_can_sum(&instance->in[0]);
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    stk_cuda_rows rows =
        stk_cuda_rows_to_sum(call->device, &call->instance.in[0], call->in_format[0]);
    *scratch = stk_cuda_rows_bytes(&rows, STK_CUDA_BN_STATS_VALUES);
    return STK_OK;
}

static stk_cuda_bn_stats_args args_of(const stk_kernel_call *call)
{
    return (stk_cuda_bn_stats_args){.dtype = (int)call->instance.in[0].dtype,
                                    .x = call->in[0],
                                    .partials = call->scratch,
                                    .counters = stk_cuda_of(call->device)->counters,
                                    .mean = call->out[0]};
}

static stk_status launch(const stk_kernel_call *call, stk_cuda_bn_stats_args *args, stk_error *err)
{
    args->rows = stk_cuda_rows_to_sum(call->device, &call->instance.in[0], call->in_format[0]);
    return stk_cuda_launched(
        call, stk_cuda_bn_stats_launch(args, stk_cuda_of(call->device)->stream), err);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_bn_stats_args args = args_of(call);
    args.var = call->out[1];
    return launch(call, &args, err);
}

stk_cuda_bn_stats_args stk_cuda_bn_stats_of(const stk_kernel_call *call)
{
    enum { X, GAMMA };
    enum { MEAN, SCALE };
    stk_cuda_bn_stats_args args = args_of(call);
    args.vectors = stk_cuda_bn_vectors_of(call, GAMMA, SCALE);
    return args;
}

static stk_status run_finalize(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_bn_stats_args args = stk_cuda_bn_stats_of(call);
    return launch(call, &args, err);
}

const stk_kernel stk_cuda_bn_stats = {.op = &stk_graph_op_bn_stats,
                                      .name = "native",
                                      .can = can,
                                      .formats = stk_cuda_formats_same,
                                      .prepare = prepare,
                                      .run = run};
const stk_kernel stk_cuda_bn_stats_finalize = {.op = &stk_graph_op_bn_stats_finalize,
                                               .name = "native",
                                               .can = can,
                                               .formats = stk_cuda_formats_same,
                                               .prepare = prepare,
                                               .run = run_finalize};
