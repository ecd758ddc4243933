/* 3x3 convolutions from 64 to 64 channels with dgrad and wgrad, in 16 bits, for compute capability
 * 9.0. */
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/native_conv.h"
#include "compute/cuda_kernels/depthwise.h"
#include "compute/cuda_kernels/hopper_conv3.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"

enum { WEIGHTS = STK_CUDA_CONV3_CHANNELS * 9 * STK_CUDA_CONV3_CHANNELS };

/* 3x3 with stride 1 and padding 1. */
static bool is_square(const stk_conv2d_attrs *a, const stk_conv2d_shape *s)
{
    bool alike = s->kernel_h == 3 && s->kernel_w == 3 && a->groups == 1 && !a->act.row &&
                 s->in_c == STK_CUDA_CONV3_CHANNELS && s->out_c == STK_CUDA_CONV3_CHANNELS;
    for (int i = 0; i < 2; i++)
        alike = alike && a->stride[i] == 1 && a->dilation[i] == 1;
    for (int i = 0; i < 4; i++)
        alike = alike && a->pad[i] == 1;
    return alike;
}

/* each: stripes per multiprocessor above which the kernel pays. */
static bool can_any(const stk_device *device, const stk_graph_op *op,
                    const stk_op_instance *instance, int each)
{
    const stk_cuda *cuda = stk_cuda_of(device);
    stk_dtype       dtype = instance->in[0].dtype;
    if (!cuda->hopper || instance->input_count != 2 || instance->in[1].dtype != dtype ||
        (dtype != STK_DTYPE_F16 && dtype != STK_DTYPE_BF16))
        return false;
    stk_conv2d_shape s = stk_conv2d_shape_of(op, instance);
    return is_square(instance->attrs, &s) && stk_cuda_conv3_can(s.batch, s.in_h, s.in_w) &&
           s.batch * (s.in_h / STK_CUDA_CONV3_ROWS) >= each * cuda->processors;
}

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    return can_any(device, &stk_graph_op_conv2d, instance, 1);
}

static bool can_input(const stk_device *device, const stk_op_instance *instance)
{
    return can_any(device, &stk_graph_op_conv2d_grad_input, instance, 1);
}

/* Adding partials costs as much as some stripes. */
static bool can_weight(const stk_device *device, const stk_op_instance *instance)
{
    return instance->output_count == 1 &&
           can_any(device, &stk_graph_op_conv2d_grad_weight, instance, 2);
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    for (int o = 1; o < instance->output_count; o++)
        out[o] = STK_FORMAT_PLAIN;
    return stk_cuda_conv_input_formats(device, instance, have, in, out, err);
}

static stk_status weight_formats(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err)
{
    STK_TRY(stk_cuda_conv_weight_formats(device, instance, have, in, out, err));
    in[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_cuda_conv3_args args_of(const stk_graph_op *op, const stk_kernel_call *call)
{
    stk_conv2d_shape s = stk_conv2d_shape_of(op, &call->instance);
    return (stk_cuda_conv3_args){.dtype = (int)call->instance.in[0].dtype,
                                 .batch = (int)s.batch,
                                 .height = (int)s.in_h,
                                 .width = (int)s.in_w,
                                 .processors = stk_cuda_of(call->device)->processors,
                                 .x = call->in[0]};
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    stk_cuda_conv3_args args = args_of(&stk_graph_op_conv2d, call);
    size_t              part = STK_CUDA_CONV3_CHANNELS * STK_CUDA_DW_VALUES * sizeof(float);
    (void)err;
    *scratch =
        call->instance.output_count > 1 ? (size_t)stk_cuda_conv3_stats_partials(&args) * part : 0;
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_conv3_args args = args_of(&stk_graph_op_conv2d, call);
    bool                statistics = call->instance.output_count > 1;
    args.w = call->in[1];
    args.y = call->out[STK_CONV2D_Y];
    args.partials = statistics ? call->scratch : NULL;
    STK_TRY(stk_cuda_launched(call, stk_cuda_conv3_launch(&args, stk_cuda_of(call->device)->stream),
                              err));
    if (!statistics) return STK_OK;
    return stk_cuda_conv_statistics(call, STK_CUDA_CONV3_CHANNELS,
                                    stk_cuda_conv3_stats_partials(&args), err);
}

static stk_status run_input(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_conv3_args args = args_of(&stk_graph_op_conv2d_grad_input, call);
    args.w = call->in[1];
    args.y = call->out[0];
    return stk_cuda_launched(
        call, stk_cuda_conv3_input_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static stk_status prepare_weight(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    stk_cuda_conv3_args args = args_of(&stk_graph_op_conv2d_grad_weight, call);
    (void)err;
    *scratch = (size_t)stk_cuda_conv3_weight_partials(&args) * WEIGHTS * sizeof(float);
    return STK_OK;
}

static stk_status run_weight(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_conv3_args args = args_of(&stk_graph_op_conv2d_grad_weight, call);
    args.dy = call->in[1];
    args.partials = call->scratch;
    STK_TRY(stk_cuda_launched(
        call, stk_cuda_conv3_weight_launch(&args, stk_cuda_of(call->device)->stream), err));
    return stk_cuda_conv_sum_weights(call, WEIGHTS, stk_cuda_conv3_weight_partials(&args), err);
}

const stk_kernel stk_cuda_conv3 = {
    .op = &stk_graph_op_conv2d,
    .name = "3x3",
    .can = can,
    .formats = formats,
    .requires_formats = true,
    .prepare = prepare,
    .run = run,
};
const stk_kernel stk_cuda_conv3_input = {
    .op = &stk_graph_op_conv2d_grad_input,
    .name = "3x3",
    .can = can_input,
    .formats = formats,
    .requires_formats = true,
    .run = run_input,
};
const stk_kernel stk_cuda_conv3_weight = {
    .op = &stk_graph_op_conv2d_grad_weight,
    .name = "3x3",
    .can = can_weight,
    .formats = weight_formats,
    .requires_formats = true,
    .prepare = prepare_weight,
    .run = run_weight,
};
