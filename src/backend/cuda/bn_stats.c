/* bn_stats(x) */
#include "backend/cuda/own/bn_stats.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/rows.h"
#include "ops/ops.h"

static bool can(const stk_device *device, const stk_op_use *use)
{
    (void)device;
    return stk_cuda_rows_can_sum(&use->in[0]);
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    stk_cuda_rows rows = stk_cuda_rows_to_sum(call->device, &call->use.in[0], call->in_format[0]);
    *scratch = stk_cuda_rows_bytes(&rows, STK_CUDA_BN_STATS_VALUES);
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda              *cuda = stk_cuda_of(call->device);
    stk_cuda_bn_stats_args args = {
        .rows = stk_cuda_rows_to_sum(call->device, &call->use.in[0], call->in_format[0]),
        .dtype = (int)call->use.in[0].dtype,
        .x = call->in[0],
        .parts = call->scratch,
        .counters = cuda->counters,
        .mean = call->out[0],
        .var = call->out[1]};
    return stk_cuda_launched(call, stk_cuda_bn_stats_launch(&args, cuda->stream), err);
}

const stk_kernel stk_cuda_bn_stats = {.op = &stk_graph_op_bn_stats,
                                      .name = "own",
                                      .can = can,
                                      .formats = stk_cuda_formats_same,
                                      .prepare = prepare,
                                      .run = run};
