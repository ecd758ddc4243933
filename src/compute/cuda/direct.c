/* conv2d, dgrad and wgrad of any shape, for problems without a faster kernel. */
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/native_conv.h"
#include "compute/ops/graph_ops.h"

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return stk_cuda_conv_can(&stk_graph_op_conv2d, instance);
}

static bool can_input(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return stk_cuda_conv_can(&stk_graph_op_conv2d_grad_input, instance);
}

static bool can_weight(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return stk_cuda_conv_can(&stk_graph_op_conv2d_grad_weight, instance);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    cudaStream_t       stream = stk_cuda_of(call->device)->stream;
    stk_cuda_conv_args args = stk_cuda_conv_args_of(&stk_graph_op_conv2d, call);
    STK_TRY(stk_cuda_launched(call, stk_cuda_direct_launch(&args, stream), err));
    return stk_cuda_conv_activate(call, err);
}

static stk_status run_input(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_conv_args args = stk_cuda_conv_args_of(&stk_graph_op_conv2d_grad_input, call);
    return stk_cuda_launched(
        call, stk_cuda_direct_input_launch(&args, stk_cuda_of(call->device)->stream), err);
}

/* Enough to fill the GPU, at most one per row. */
static int partials_of(const stk_kernel_call *call)
{
    enum { THREADS = 2048, PARTIALS_MAX = 1024 };
    stk_conv2d_shape s = stk_conv2d_shape_of(&stk_graph_op_conv2d_grad_weight, &call->instance);
    int64_t          threads = stk_cuda_of(call->device)->processors * (int64_t)THREADS;
    int64_t          wanted = threads / stk_type_elements(&call->instance.out[0]);
    if (wanted > s.batch * s.out_h) wanted = s.batch * s.out_h;
    return wanted < 1 ? 1 : wanted > PARTIALS_MAX ? PARTIALS_MAX : (int)wanted;
}

static stk_status prepare_weight(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    return stk_cuda_conv_scratch(call, partials_of(call), scratch, err);
}

static stk_status run_weight(const stk_kernel_call *call, stk_error *err)
{
    cudaStream_t       stream = stk_cuda_of(call->device)->stream;
    stk_cuda_conv_args args = stk_cuda_conv_args_of(&stk_graph_op_conv2d_grad_weight, call);
    args.partial_count = partials_of(call);
    STK_TRY(stk_cuda_launched(call, stk_cuda_direct_weight_launch(&args, stream), err));
    return stk_cuda_launched(call, stk_cuda_conv_sum(&args, stream), err);
}

const stk_kernel stk_cuda_direct = {
    .op = &stk_graph_op_conv2d,
    .name = "direct",
    .can = can,
    .formats = stk_cuda_conv_formats,
    .run = run,
};
const stk_kernel stk_cuda_direct_input = {
    .op = &stk_graph_op_conv2d_grad_input,
    .name = "direct",
    .can = can_input,
    .formats = stk_cuda_conv_input_formats,
    .run = run_input,
};
const stk_kernel stk_cuda_direct_weight = {
    .op = &stk_graph_op_conv2d_grad_weight,
    .name = "direct",
    .can = can_weight,
    .formats = stk_cuda_conv_weight_formats,
    .prepare = prepare_weight,
    .run = run_weight,
};
