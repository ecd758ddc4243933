/* bn_pool(x, scale, shift),
 * bn_pool_grad_sums(dy, indices, x, mean, invstd, scale, shift, y) and
 * bn_pool_grad_apply(dy, indices, x, mean, invstd, scale, shift, gamma, dgamma, dbeta), for the
 * windows that the fuse pass accepts. */
#include "compute/cuda_kernels/bn_pool.h"
#include "compute/cuda/channel_rows.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/pool.h"
#include "compute/ops/graph_ops.h"

enum { DY, INDICES, X, MEAN, INVSTD, SCALE, SHIFT, GAMMA, DGAMMA, DBETA, Y = GAMMA };

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    stk_cuda_pool_args args = stk_cuda_pool_of(instance);
    return stk_cuda_pool_can(device, instance) && stk_cuda_max_pool_3x3_can(&args);
}

static bool can_sum(const stk_device *device, const stk_op_instance *instance)
{
    return can(device, instance) && stk_cuda_rows_can_sum(&instance->in[DY]);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    enum { IMAGE, IMAGE_SCALE, IMAGE_SHIFT };
    stk_cuda_pool_args args = stk_cuda_pool_of(&call->instance);
    args.src = call->in[IMAGE];
    args.dst = call->out[0];
    args.indices = call->instance.output_count > 1 ? call->out[1] : NULL;
    return stk_cuda_launched(call,
                             stk_cuda_bn_pool_launch(&args, call->in[IMAGE_SCALE],
                                                     call->in[IMAGE_SHIFT],
                                                     stk_cuda_of(call->device)->stream),
                             err);
}

static stk_cuda_bn_pool_grad_args args_of(const stk_kernel_call *call)
{
    stk_cuda_bn_pool_grad_args args = {.pool = stk_cuda_pool_of(&call->instance),
                                       .bn = {.x = call->in[X],
                                              .mean = call->in[MEAN],
                                              .invstd = call->in[INVSTD],
                                              .scale = call->in[SCALE],
                                              .shift = call->in[SHIFT]}};
    args.pool.src = call->in[DY];
    args.pool.from = call->in[INDICES];
    return args;
}

static stk_cuda_rows rows_of(const stk_kernel_call *call, int input)
{
    return stk_cuda_rows_to_sum(call->device, &call->instance.in[input], STK_FORMAT_PLAIN);
}

static stk_status prepare_sums(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    stk_cuda_rows rows = rows_of(call, DY);
    *scratch = stk_cuda_rows_bytes(&rows, STK_CUDA_BN_GRAD_VALUES);
    return STK_OK;
}

static stk_status run_sums(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_bn_pool_grad_args args = args_of(call);
    args.bn.rows = rows_of(call, DY);
    args.bn.y = call->in[Y];
    args.bn.dgamma = call->out[0];
    args.bn.dbeta = call->out[1];
    args.bn.partials = call->scratch;
    args.bn.counters = stk_cuda_of(call->device)->counters;
    return stk_cuda_launched(
        call, stk_cuda_bn_pool_grad_sums_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static stk_status run_apply(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_bn_pool_grad_args args = args_of(call);
    args.bn.rows = rows_of(call, X);
    args.bn.gamma = call->in[GAMMA];
    args.bn.dgamma = (float *)call->in[DGAMMA];
    args.bn.dbeta = (float *)call->in[DBETA];
    args.bn.dx = call->out[0];
    return stk_cuda_launched(
        call, stk_cuda_bn_pool_grad_apply_launch(&args, stk_cuda_of(call->device)->stream), err);
}

const stk_kernel stk_cuda_bn_pool = {
    .op = &stk_graph_op_bn_pool, .name = "native", .can = can, .run = run};
const stk_kernel stk_cuda_bn_pool_grad_sums = {.op = &stk_graph_op_bn_pool_grad_sums,
                                               .name = "native",
                                               .can = can_sum,
                                               .prepare = prepare_sums,
                                               .run = run_sums};
const stk_kernel stk_cuda_bn_pool_grad_apply = {
    .op = &stk_graph_op_bn_pool_grad_apply, .name = "native", .can = can, .run = run_apply};
