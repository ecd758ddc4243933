/* bn_apply(x, scale, shift, [residual, [residual_scale, residual_shift]]) */
#include "compute/cuda/act.h"
#include "compute/cuda/bn.h"
#include "compute/cuda/channel_rows.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

enum { X, SCALE, SHIFT, RESIDUAL, RESIDUAL_SCALE, RESIDUAL_SHIFT };

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    const stk_bn_apply_attrs *attrs = instance->attrs;
    stk_cuda_activation       act;
    (void)device;
    return stk_cuda_act_of(&attrs->act, &act);
}

/* Padding must stay zero and has no bits: activations that do not map 0 to 0, and bits, take plain
 * tensors. */
static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    const stk_bn_apply_attrs *attrs = instance->attrs;
    if ((!attrs->act.row || attrs->act.row->zero_stays) && instance->output_count == 1)
        return stk_cuda_formats_same(device, instance, have, in, out, err);
    for (int i = 0; i < instance->input_count; i++)
        in[i] = STK_FORMAT_PLAIN;
    for (int o = 0; o < instance->output_count; o++)
        out[o] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static uint8_t *bits_of(const stk_kernel_call *call)
{
    const stk_bn_apply_attrs *attrs = call->instance.attrs;
    return call->instance.output_count > 1 && stk_bn_has_bits(&attrs->act) ? call->out[1] : NULL;
}

stk_cuda_bn_apply_args stk_cuda_bn_apply_of(const stk_kernel_call *call)
{
    const stk_bn_apply_attrs *attrs = call->instance.attrs;
    bool                      added = call->instance.input_count > RESIDUAL;
    bool                      scaled = call->instance.input_count > RESIDUAL_SHIFT;
    stk_cuda_bn_apply_args    args = {.dtype = (int)call->instance.in[X].dtype,
                                      .x = call->in[X],
                                      .residual = added ? call->in[RESIDUAL] : NULL,
                                      .scale = call->in[SCALE],
                                      .shift = call->in[SHIFT],
                                      .residual_scale = scaled ? call->in[RESIDUAL_SCALE] : NULL,
                                      .residual_shift = scaled ? call->in[RESIDUAL_SHIFT] : NULL,
                                      .y = call->out[0],
                                      .bits = bits_of(call)};
    stk_cuda_act_of(&attrs->act, &args.act);
    return args;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_bn_apply_args args = stk_cuda_bn_apply_of(call);
    int wide = !args.bits ? 0 : call->instance.in[SCALE].shape.dim[0] % 8 ? 1 : 8;
    args.rows = stk_cuda_rows_to_map(call->device, &call->instance.in[X], call->in_format[X], wide);
    return stk_cuda_launched(
        call, stk_cuda_bn_apply_launch(&args, stk_cuda_of(call->device)->stream), err);
}

const stk_kernel stk_cuda_bn_apply = {
    .op = &stk_graph_op_bn_apply, .name = "native", .can = can, .formats = formats, .run = run};
