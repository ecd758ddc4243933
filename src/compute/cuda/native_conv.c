#include "compute/cuda/native_conv.h"
#include "base/checked.h"
#include "compute/cuda/act.h"
#include "compute/cuda/window.h"
#include "compute/cuda_kernels/activation.h"
#include "compute/cuda_kernels/depthwise.h"
#include "compute/cuda_kernels/sum_partials.h"
#include "compute/ops/graph_ops.h"
#include <math.h>

stk_cuda_conv stk_cuda_conv_of(const stk_graph_op *op, const stk_op_instance *instance)
{
    const stk_conv2d_attrs *a = instance->attrs;
    stk_conv2d_shape        s = stk_conv2d_shape_of(op, instance);
    return (stk_cuda_conv){
        s, stk_window_of(s.in_h, s.kernel_h, a->stride[0], a->dilation[0], a->pad[0], a->pad[1]),
        stk_window_of(s.in_w, s.kernel_w, a->stride[1], a->dilation[1], a->pad[2], a->pad[3])};
}

static bool row_fits(int64_t columns, int64_t channels)
{
    enum { PADDED = 8 };
    return columns * (channels + PADDED) <= INT32_MAX;
}

bool stk_cuda_conv_can(const stk_graph_op *op, const stk_op_instance *instance)
{
    const stk_conv2d_attrs *a = instance->attrs;
    stk_cuda_conv           c = stk_cuda_conv_of(op, instance);
    stk_cuda_activation     act;
    if (op == &stk_graph_op_conv2d && instance->output_count > 1) return false;
    if (!stk_cuda_window_fits(&c.down) || !stk_cuda_window_fits(&c.across)) return false;
    if (c.shape.in_c < 1 || instance->in[0].dtype != instance->in[1].dtype) return false;
    stk_dtype third = op == &stk_graph_op_conv2d ? STK_DTYPE_F32 : instance->in[0].dtype;
    if (instance->input_count > 2 && instance->in[2].dtype != third) return false;
    return row_fits(c.shape.in_w, c.shape.in_c) && row_fits(c.shape.out_w + 4, c.shape.out_c) &&
           c.shape.in_c * c.shape.kernel_h * c.shape.kernel_w <= INT32_MAX &&
           stk_cuda_act_of(&a->act, &act);
}

static const stk_tensor_type *weights_of(const stk_op_instance *instance, bool gradient)
{
    return gradient ? &instance->out[0] : &instance->in[1];
}

stk_cuda_conv_args stk_cuda_conv_args_of(const stk_graph_op *op, const stk_kernel_call *call)
{
    const stk_conv2d_attrs *attrs = call->instance.attrs;
    stk_cuda_conv           c = stk_cuda_conv_of(op, &call->instance);
    bool                    by_weight = op == &stk_graph_op_conv2d_grad_weight;
    bool                    by_input = op == &stk_graph_op_conv2d_grad_input;
    bool                    third = call->instance.input_count > 2;
    stk_cuda_layout         w = stk_cuda_layout_of(weights_of(&call->instance, by_weight),
                                           by_weight ? call->out_format[0] : call->in_format[1]);
    stk_cuda_conv_args      args = {
             .dtype = (int)call->instance.in[0].dtype,
             .batch = c.shape.batch,
             .down = stk_cuda_window_of(&c.down),
             .across = stk_cuda_window_of(&c.across),
             .in_c = (int)c.shape.in_c,
             .out_c = (int)c.shape.out_c,
             .group_in = (int)(c.shape.in_c / attrs->groups),
             .group_out = (int)(c.shape.out_c / attrs->groups),
             .x_pixel = (int)c.shape.in_c,
             .w_strides = {w.stride[0], w.stride[1], w.stride[2], w.stride[3]},
             .x = by_input ? NULL : call->in[0],
             .w = by_weight ? NULL : call->in[1],
             .dy = by_input    ? call->in[0]
                   : by_weight ? call->in[1]
                               : NULL,
             .bias = third && !by_input ? call->in[2] : NULL,
             .addend = third && by_input ? call->in[2] : NULL,
             .out = call->out[0],
             .dbias = call->instance.output_count > 1 ? call->out[1] : NULL,
             .partials = call->scratch,
             .low = -INFINITY,
             .high = INFINITY,
    };
    if (!by_input)
        args.x_pixel = (int)stk_cuda_layout_of(&call->instance.in[0], call->in_format[0]).padded;
    stk_cuda_activation act;
    stk_cuda_act_of(&attrs->act, &act);
    if (act.act == STK_CUDA_ACT_RELU) args.low = 0;
    if (act.act == STK_CUDA_ACT_CLIP) args.low = act.a, args.high = act.b;
    return args;
}

/* Clips are fused into the epilogue. Other activations are rare here: their gradient would need the
 * value before. */
stk_status stk_cuda_conv_activate(const stk_kernel_call *call, stk_error *err)
{
    const stk_conv2d_attrs  *attrs = call->instance.attrs;
    stk_cuda_activation_args args = {.dtype = (int)call->instance.out[0].dtype,
                                     .count = stk_type_elements(&call->instance.out[0]),
                                     .x = call->out[0],
                                     .out = call->out[0]};
    stk_cuda_act_of(&attrs->act, &args.act);
    if (args.act.act == STK_CUDA_ACT_NONE || args.act.act == STK_CUDA_ACT_RELU ||
        args.act.act == STK_CUDA_ACT_CLIP)
        return STK_OK;
    return stk_cuda_launched(
        call, stk_cuda_activation_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static stk_format padded_or_plain(stk_format have)
{
    return have == STK_CUDA_PAD4 || have == STK_CUDA_PAD8 ? have : (stk_format)STK_FORMAT_PLAIN;
}

stk_status stk_cuda_conv_formats(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err)
{
    (void)device, (void)err;
    for (int i = 0; i < instance->input_count; i++)
        in[i] = STK_FORMAT_PLAIN;
    in[0] = padded_or_plain(have[0]);
    in[1] = STK_CUDA_WEIGHTS;
    out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

stk_status stk_cuda_conv_input_formats(stk_device *device, const stk_op_instance *instance,
                                       const stk_format *have, stk_format *in, stk_format *out,
                                       stk_error *err)
{
    (void)device, (void)have, (void)err;
    for (int i = 0; i < instance->input_count; i++)
        in[i] = STK_FORMAT_PLAIN;
    in[1] = STK_CUDA_WEIGHTS;
    out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

stk_status stk_cuda_conv_weight_formats(stk_device *device, const stk_op_instance *instance,
                                        const stk_format *have, stk_format *in, stk_format *out,
                                        stk_error *err)
{
    (void)device, (void)err;
    in[0] = padded_or_plain(have[0]);
    in[1] = STK_FORMAT_PLAIN;
    out[0] = STK_CUDA_WEIGHTS;
    if (instance->output_count > 1) out[1] = STK_FORMAT_PLAIN;
    return STK_OK;
}

stk_status stk_cuda_conv_scratch(const stk_kernel_call *call, int partials, size_t *scratch,
                                 stk_error *err)
{
    const stk_shape *dw = &call->instance.out[0].shape;
    int64_t          count, bytes;
    if (stk_add_overflows_i64(stk_type_elements(&call->instance.out[0]), dw->dim[0], &count) ||
        stk_mul_overflows_i64(count, partials * (int64_t)sizeof(float), &bytes))
        return stk_fail(err, STK_E_LIMIT, call->op->name, call->instance.name,
                        "%d sums of its weights are more than 2^63 bytes", partials);
    *scratch = (size_t)bytes;
    return STK_OK;
}

cudaError_t stk_cuda_conv_sum(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    int64_t weights =
        (int64_t)args->out_c * args->group_in * args->down.kernel * args->across.kernel;
    stk_cuda_sum_partials_args sum = {
        .dtype = args->dtype,
        .partials = args->partial_count,
        .first_count = weights,
        .count = weights + (args->dbias ? args->out_c : 0),
        .from = args->partials,
        .first = args->out,
        .rest = args->dbias,
    };
    return stk_cuda_sum_partials_launch(&sum, stream);
}

stk_status stk_cuda_conv_statistics(const stk_kernel_call *call, int channels, int partials,
                                    stk_error *err)
{
    stk_cuda_conv_args      args = {.in_c = channels, .partials = call->scratch};
    stk_cuda_depthwise_plan plan = {.blocks = partials};
    return stk_cuda_launched(call,
                             stk_cuda_depthwise_stats_launch(
                                 &args, &plan, call->out[STK_CONV2D_MEAN],
                                 call->out[STK_CONV2D_VAR], stk_cuda_of(call->device)->stream),
                             err);
}

stk_status stk_cuda_conv_sum_weights(const stk_kernel_call *call, int64_t weights, int partials,
                                     stk_error *err)
{
    stk_cuda_sum_partials_args sum = {.dtype = (int)call->instance.out[0].dtype,
                                      .partials = partials,
                                      .first_count = weights,
                                      .count = weights,
                                      .from = call->scratch,
                                      .first = call->out[0]};
    return stk_cuda_launched(
        call, stk_cuda_sum_partials_launch(&sum, stk_cuda_of(call->device)->stream), err);
}

stk_cuda_reduce_args stk_cuda_conv_bias_sum(const stk_kernel_call *call)
{
    const int64_t       *d = call->instance.in[1].shape.dim;
    stk_cuda_reduce_args args = {.dtype = (int)call->instance.in[1].dtype,
                                 .multiply = 1,
                                 .outer = 1,
                                 .reduced = d[0] * d[1] * d[2],
                                 .inner = d[3],
                                 .x = call->in[1],
                                 .out = call->out[1]};
    args.splits = stk_cuda_reduce_splits(&args);
    return args;
}
