/* bn_grad_sums(dy, x, mean, invstd, [mask...]) and
 * bn_grad_apply(dy, x, mean, invstd, gamma, dgamma, dbeta, [mask...]) */
#include "compute/cuda/act.h"
#include "compute/cuda/bn.h"
#include "compute/cuda/channel_rows.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

enum { DY, X, MEAN, INVSTD, SUMS_MASK, GAMMA = SUMS_MASK, DGAMMA, DBETA, APPLY_MASK };

static bool can_apply(const stk_device *device, const stk_op_instance *instance)
{
    const stk_bn_grad_attrs *attrs = instance->attrs;
    stk_cuda_activation      act;
    (void)device;
    return stk_cuda_act_of(&attrs->act, &act);
}

static bool can_sum(const stk_device *device, const stk_op_instance *instance)
{
    return stk_cuda_rows_can_sum(&instance->in[X]) && can_apply(device, instance);
}

/* Padding has no bits. */
static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    const stk_bn_grad_attrs *attrs = instance->attrs;
    if (attrs->mask != STK_BN_MASK_BITS)
        return stk_cuda_formats_same(device, instance, have, in, out, err);
    for (int i = 0; i < instance->input_count; i++)
        in[i] = STK_FORMAT_PLAIN;
    for (int o = 0; o < instance->output_count; o++)
        out[o] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_cuda_bn_grad_args args_of(const stk_kernel_call *call, int mask)
{
    const stk_bn_grad_attrs *attrs = call->instance.attrs;
    stk_cuda_bn_grad_args    args = {.mask = (stk_cuda_bn_mask)attrs->mask,
                                     .dtype = (int)call->instance.in[DY].dtype,
                                     .dy = call->in[DY],
                                     .x = call->in[X],
                                     .mean = call->in[MEAN],
                                     .invstd = call->in[INVSTD]};
    stk_cuda_act_of(&attrs->act, &args.act);
    if (attrs->mask == STK_BN_MASK_OUTPUT) args.y = call->in[mask];
    if (attrs->mask == STK_BN_MASK_BITS) args.bits = call->in[mask];
    if (attrs->mask == STK_BN_MASK_INPUT)
        args.scale = call->in[mask], args.shift = call->in[mask + 1];
    return args;
}

static stk_cuda_rows rows_to_sum(const stk_kernel_call *call)
{
    return stk_cuda_rows_to_sum(call->device, &call->instance.in[X], call->in_format[X]);
}

static stk_status prepare_sums(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    stk_cuda_rows rows = rows_to_sum(call);
    *scratch = stk_cuda_rows_bytes(&rows, STK_CUDA_BN_GRAD_VALUES);
    return STK_OK;
}

stk_cuda_bn_grad_args stk_cuda_bn_sums_of(const stk_kernel_call *call)
{
    stk_cuda_bn_grad_args args = args_of(call, SUMS_MASK);
    args.dgamma = call->out[0];
    args.dbeta = call->out[1];
    args.partials = call->scratch;
    args.counters = stk_cuda_of(call->device)->counters;
    return args;
}

static stk_status run_sums(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_bn_grad_args args = stk_cuda_bn_sums_of(call);
    args.rows = rows_to_sum(call);
    return stk_cuda_launched(
        call, stk_cuda_bn_grad_sums_launch(&args, stk_cuda_of(call->device)->stream), err);
}

stk_cuda_bn_grad_args stk_cuda_bn_grad_of(const stk_kernel_call *call)
{
    stk_cuda_bn_grad_args args = args_of(call, APPLY_MASK);
    args.gamma = call->in[GAMMA];
    args.dgamma = (float *)call->in[DGAMMA];
    args.dbeta = (float *)call->in[DBETA];
    args.dx = call->out[0];
    args.dz = call->instance.output_count > 1 ? call->out[1] : NULL;
    return args;
}

static stk_status run_apply(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_bn_grad_args args = stk_cuda_bn_grad_of(call);
    args.rows = stk_cuda_rows_to_map(call->device, &call->instance.in[X], call->in_format[X], 0);
    return stk_cuda_launched(
        call, stk_cuda_bn_grad_apply_launch(&args, stk_cuda_of(call->device)->stream), err);
}

const stk_kernel stk_cuda_bn_grad_sums = {.op = &stk_graph_op_bn_grad_sums,
                                          .name = "native",
                                          .can = can_sum,
                                          .formats = formats,
                                          .prepare = prepare_sums,
                                          .run = run_sums};
const stk_kernel stk_cuda_bn_grad_apply = {.op = &stk_graph_op_bn_grad_apply,
                                           .name = "native",
                                           .can = can_apply,
                                           .formats = formats,
                                           .run = run_apply};
