/* Depthwise conv2d with dgrad and wgrad. */
#include "compute/cuda_kernels/depthwise.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/native_conv.h"
#include "compute/ops/graph_ops.h"

/* Whether pixel indices of the batch and element indices of one image with its margin fit 31
 * bits. */
static bool fits(int64_t batch, int64_t rows, int64_t columns, int64_t channels)
{
    enum { MARGIN = 16 };
    int64_t pixels = (rows + MARGIN) * (columns + MARGIN); /* a row fits 31 bits */
    return pixels <= INT32_MAX / channels && batch <= INT32_MAX / 2 / pixels;
}

static bool can_any(const stk_graph_op *op, const stk_op_instance *instance)
{
    const stk_conv2d_attrs *a = instance->attrs;
    if (!stk_cuda_conv_can(op, instance)) return false;
    stk_conv2d_shape s = stk_conv2d_shape_of(op, instance);
    return a->groups == s.in_c && s.out_c == s.in_c && s.kernel_h == s.kernel_w &&
           (s.kernel_h == 3 || s.kernel_h == 5) && a->stride[0] == a->stride[1] &&
           a->stride[0] <= 2 && fits(s.batch, s.in_h, s.in_w, s.in_c) &&
           fits(s.batch, s.out_h, s.out_w, s.in_c) && a->dilation[0] == 1 && a->dilation[1] == 1 &&
           (instance->in[0].dtype == STK_DTYPE_F32 || s.in_c % 2 == 0);
}

/* Also with statistics, if the kernel supports them. */
static bool can(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    const stk_conv2d_attrs *a = instance->attrs;
    stk_op_instance         alone = *instance;
    alone.output_count = 1;
    if (!can_any(&stk_graph_op_conv2d, &alone)) return false;
    stk_conv2d_shape s = stk_conv2d_shape_of(&stk_graph_op_conv2d, &alone);
    return instance->output_count == 1 ||
           (s.kernel_h == 3 && !a->act.row && s.batch > 0 && s.out_h > 0 && s.out_w > 0);
}

static bool can_input(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return can_any(&stk_graph_op_conv2d_grad_input, instance);
}

static bool can_weight(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return can_any(&stk_graph_op_conv2d_grad_weight, instance);
}

/* With one input channel per filter KCRS and KRSC are equal. */
static stk_format weights_as(stk_format have)
{
    return have == STK_FORMAT_PLAIN ? (stk_format)STK_FORMAT_PLAIN : (stk_format)STK_CUDA_WEIGHTS;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    STK_TRY(stk_cuda_conv_input_formats(device, instance, have, in, out, err));
    in[1] = weights_as(have[1]);
    for (int i = 1; i < instance->output_count; i++)
        out[i] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_status weight_formats(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err)
{
    STK_TRY(stk_cuda_conv_weight_formats(device, instance, have, in, out, err));
    in[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_cuda_depthwise_plan plan_forward(const stk_kernel_call    *call,
                                            const stk_cuda_conv_args *args)
{
    stk_cuda_depthwise_plan plan = stk_cuda_depthwise_plan_of(
        args, STK_CUDA_DW_FORWARD, stk_cuda_of(call->device)->processors);
    plan.statistics = call->instance.output_count > 1;
    return plan;
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    stk_cuda_conv_args      args = stk_cuda_conv_args_of(&stk_graph_op_conv2d, call);
    stk_cuda_depthwise_plan plan = plan_forward(call, &args);
    size_t                  part = (size_t)args.in_c * STK_CUDA_DW_VALUES * sizeof(float);
    *scratch = plan.statistics ? (size_t)plan.blocks * part : 0;
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    cudaStream_t            stream = stk_cuda_of(call->device)->stream;
    stk_cuda_conv_args      args = stk_cuda_conv_args_of(&stk_graph_op_conv2d, call);
    stk_cuda_depthwise_plan plan = plan_forward(call, &args);
    STK_TRY(stk_cuda_launched(call, stk_cuda_depthwise_launch(&args, &plan, false, stream), err));
    if (!plan.statistics) return stk_cuda_conv_activate(call, err);
    return stk_cuda_launched(call,
                             stk_cuda_depthwise_stats_launch(&args, &plan,
                                                             call->out[STK_CONV2D_MEAN],
                                                             call->out[STK_CONV2D_VAR], stream),
                             err);
}

/* The windows of dx over dy, for stride 1. */
static stk_cuda_window turned(const stk_cuda_window *w)
{
    return (stk_cuda_window){w->count, w->kernel, 1, 1, w->kernel - 1 - w->before, w->size};
}

static cudaError_t launch_input(stk_cuda *cuda, stk_cuda_conv_args *args)
{
    stk_cuda_depthwise_kind kind = STK_CUDA_DW_SPREAD;
    if (args->down.stride == 1) {
        kind = STK_CUDA_DW_FORWARD;
        args->x = args->dy;
        args->down = turned(&args->down), args->across = turned(&args->across);
    }
    stk_cuda_depthwise_plan plan = stk_cuda_depthwise_plan_of(args, kind, cuda->processors);
    return kind == STK_CUDA_DW_FORWARD
               ? stk_cuda_depthwise_launch(args, &plan, true, cuda->stream)
               : stk_cuda_depthwise_spread_launch(args, &plan, cuda->stream);
}

static stk_status run_input(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_conv_args args = stk_cuda_conv_args_of(&stk_graph_op_conv2d_grad_input, call);
    return stk_cuda_launched(call, launch_input(stk_cuda_of(call->device), &args), err);
}

static stk_status prepare_weight(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    stk_cuda_conv_args      args = stk_cuda_conv_args_of(&stk_graph_op_conv2d_grad_weight, call);
    stk_cuda_depthwise_plan plan = stk_cuda_depthwise_plan_of(
        &args, STK_CUDA_DW_WEIGHT, stk_cuda_of(call->device)->processors);
    return stk_cuda_conv_scratch(call, plan.blocks, scratch, err);
}

static stk_status run_weight(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda               *cuda = stk_cuda_of(call->device);
    stk_cuda_conv_args      args = stk_cuda_conv_args_of(&stk_graph_op_conv2d_grad_weight, call);
    stk_cuda_depthwise_plan plan =
        stk_cuda_depthwise_plan_of(&args, STK_CUDA_DW_WEIGHT, cuda->processors);
    args.partial_count = plan.blocks;
    STK_TRY(
        stk_cuda_launched(call, stk_cuda_depthwise_weight_launch(&args, &plan, cuda->stream), err));
    return stk_cuda_launched(call, stk_cuda_conv_sum(&args, cuda->stream), err);
}

const stk_kernel stk_cuda_depthwise = {
    .op = &stk_graph_op_conv2d,
    .name = "depthwise",
    .can = can,
    .formats = formats,
    .prepare = prepare,
    .run = run,
};
const stk_kernel stk_cuda_depthwise_input = {
    .op = &stk_graph_op_conv2d_grad_input,
    .name = "depthwise",
    .can = can_input,
    .formats = formats,
    .run = run_input,
};
const stk_kernel stk_cuda_depthwise_weight = {
    .op = &stk_graph_op_conv2d_grad_weight,
    .name = "depthwise",
    .can = can_weight,
    .formats = weight_formats,
    .prepare = prepare_weight,
    .run = run_weight,
};
