/* conv2d and wgrad of images with few channels, in 16 bits. */
#include "compute/cuda_kernels/stem.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/native_conv.h"
#include "compute/cuda/window.h"
#include "compute/cuda_kernels/depthwise.h"
#include "compute/cuda_kernels/reduce.h"
#include "compute/ops/graph_ops.h"

enum { ALIGNMENT = 256 };

static bool can_any(const stk_device *device, const stk_graph_op *op,
                    const stk_op_instance *instance)
{
    const stk_conv2d_attrs *attrs = instance->attrs;
    stk_cuda_stem_plan      plan;
    if (!stk_cuda_conv_can(op, instance)) return false;
    stk_cuda_conv    c = stk_cuda_conv_of(op, instance);
    stk_conv2d_shape s = c.shape;
    if (s.in_c > STK_CUDA_STEM_PIXEL || attrs->groups != 1 || s.out_c > INT32_MAX || s.batch < 1 ||
        s.out_h < 1 || s.out_w < 1 ||
        (instance->in[0].dtype != STK_DTYPE_F16 && instance->in[0].dtype != STK_DTYPE_BF16))
        return false;
    stk_cuda_conv_args args = {.batch = s.batch,
                               .down = stk_cuda_window_of(&c.down),
                               .across = stk_cuda_window_of(&c.across),
                               .out_c = (int)s.out_c};
    return stk_cuda_stem_plan_of(&args, op == &stk_graph_op_conv2d_grad_weight,
                                 stk_cuda_of(device)->processors, &plan);
}

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    const stk_conv2d_attrs *attrs = instance->attrs;
    stk_op_instance         alone = *instance;
    alone.output_count = 1;
    return (instance->output_count == 1 || !attrs->act.row) &&
           can_any(device, &stk_graph_op_conv2d, &alone);
}

static bool can_weight(const stk_device *device, const stk_op_instance *instance)
{
    return can_any(device, &stk_graph_op_conv2d_grad_weight, instance);
}

static stk_format padding_of(const stk_tensor_type *x)
{
    return x->shape.dim[3] == STK_CUDA_STEM_PIXEL ? (stk_format)STK_FORMAT_PLAIN
                                                  : (stk_format)STK_CUDA_PAD4;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)device, (void)have, (void)err;
    in[0] = padding_of(&instance->in[0]);
    in[1] = STK_CUDA_WEIGHTS | in[0];
    if (instance->input_count > 2) in[2] = STK_FORMAT_PLAIN;
    for (int o = 0; o < instance->output_count; o++)
        out[o] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_status formats_weight(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err)
{
    (void)device, (void)have, (void)err;
    in[0] = padding_of(&instance->in[0]);
    in[1] = STK_FORMAT_PLAIN;
    out[0] = STK_CUDA_WEIGHTS | in[0];
    if (instance->output_count > 1) out[1] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_cuda_stem_plan plan_of(const stk_kernel_call *call, const stk_cuda_conv_args *args,
                                  bool by_weight)
{
    stk_cuda_stem_plan plan;
    stk_cuda_stem_plan_of(args, by_weight, stk_cuda_of(call->device)->processors, &plan);
    plan.statistics = !by_weight && call->instance.output_count > 1;
    return plan;
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    stk_cuda_conv_args args = stk_cuda_conv_args_of(&stk_graph_op_conv2d, call);
    stk_cuda_stem_plan plan = plan_of(call, &args, false);
    size_t             part = (size_t)args.out_c * STK_CUDA_DW_VALUES * sizeof(float);
    (void)err;
    *scratch = plan.statistics ? (size_t)plan.blocks * part : 0;
    return STK_OK;
}

static bool is_wide(const stk_kernel_call *call, const stk_cuda_conv_args *args,
                    const stk_cuda_stem_plan *plan, bool by_weight)
{
    return stk_cuda_of(call->device)->hopper && stk_cuda_stem_wide_can(args, plan, by_weight);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    cudaStream_t       stream = stk_cuda_of(call->device)->stream;
    stk_cuda_conv_args args = stk_cuda_conv_args_of(&stk_graph_op_conv2d, call);
    stk_cuda_stem_plan plan = plan_of(call, &args, false);
    STK_TRY(stk_cuda_launched(call,
                              is_wide(call, &args, &plan, false)
                                  ? stk_cuda_stem_wide_launch(&args, &plan, stream)
                                  : stk_cuda_stem_launch(&args, &plan, stream),
                              err));
    if (plan.statistics) return stk_cuda_conv_statistics(call, args.out_c, plan.blocks, err);
    return stk_cuda_conv_activate(call, err);
}

static int64_t weights_of(const stk_kernel_call *call)
{
    return stk_cuda_layout_of(&call->instance.out[0], call->out_format[0]).elements;
}

static size_t partials_bytes(const stk_kernel_call *call, const stk_cuda_stem_plan *plan)
{
    size_t bytes =
        (size_t)weights_of(call) * (size_t)(plan->blocks * plan->partials) * sizeof(float);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static stk_status prepare_weight(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    stk_cuda_conv_args args = stk_cuda_conv_args_of(&stk_graph_op_conv2d_grad_weight, call);
    stk_cuda_stem_plan plan = plan_of(call, &args, true);
    (void)err;
    *scratch = partials_bytes(call, &plan);
    if (call->instance.output_count < 2) return STK_OK;
    stk_cuda_reduce_args sum = stk_cuda_conv_bias_sum(call);
    *scratch += (size_t)(sum.splits * sum.inner) * sizeof(float);
    return STK_OK;
}

static stk_status run_weight(const stk_kernel_call *call, stk_error *err)
{
    cudaStream_t       stream = stk_cuda_of(call->device)->stream;
    stk_cuda_conv_args args = stk_cuda_conv_args_of(&stk_graph_op_conv2d_grad_weight, call);
    stk_cuda_stem_plan plan = plan_of(call, &args, true);
    STK_TRY(stk_cuda_launched(call,
                              is_wide(call, &args, &plan, true)
                                  ? stk_cuda_stem_wide_weight_launch(&args, &plan, stream)
                                  : stk_cuda_stem_weight_launch(&args, &plan, stream),
                              err));
    STK_TRY(stk_cuda_conv_sum_weights(call, weights_of(call), plan.blocks * plan.partials, err));
    if (!args.dbias) return STK_OK;
    stk_cuda_reduce_args sum = stk_cuda_conv_bias_sum(call);
    sum.partial = (float *)((char *)call->scratch + partials_bytes(call, &plan));
    return stk_cuda_launched(call, stk_cuda_reduce_launch(&sum, stream), err);
}

const stk_kernel stk_cuda_stem = {
    .op = &stk_graph_op_conv2d,
    .name = "stem",
    .can = can,
    .formats = formats,
    .requires_formats = true,
    .prepare = prepare,
    .run = run,
};
const stk_kernel stk_cuda_stem_weight = {
    .op = &stk_graph_op_conv2d_grad_weight,
    .name = "stem",
    .can = can_weight,
    .formats = formats_weight,
    .requires_formats = true,
    .prepare = prepare_weight,
    .run = run_weight,
};
