/* max_pool(x) -> y, indices; average_pool(x) -> y; and their gradients. Images are plain. */
#include "compute/cuda/pool.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/window.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/pool.h"

bool stk_cuda_pool_can(const stk_device *device, const stk_op_instance *instance)
{
    stk_pool_shape s = stk_pool_shape_of(instance);
    (void)device;
    return stk_cuda_window_fits(&s.down) && stk_cuda_window_fits(&s.across) &&
           s.across.size * s.channels <= INT32_MAX && s.across.count * s.channels <= INT32_MAX;
}

stk_cuda_pool_args stk_cuda_pool_of(const stk_op_instance *instance)
{
    stk_pool_shape s = stk_pool_shape_of(instance);
    return (stk_cuda_pool_args){
        .dtype = (int)instance->in[0].dtype,
        .batch = s.batch,
        .channels = s.channels,
        .down = stk_cuda_window_of(&s.down),
        .across = stk_cuda_window_of(&s.across),
        .count_pad = ((const stk_pool_attrs *)instance->attrs)->count_pad,
    };
}

static stk_cuda_pool_args args_of(const stk_kernel_call *call)
{
    stk_cuda_pool_args args = stk_cuda_pool_of(&call->instance);
    args.src = call->in[0];
    args.from = call->instance.input_count > 1 ? call->in[1] : NULL;
    args.dst = call->out[0];
    args.indices = call->instance.output_count > 1 ? call->out[1] : NULL;
    return args;
}

#define ROW(id)                                                                                    \
    static stk_status run_##id(const stk_kernel_call *call, stk_error *err)                        \
    {                                                                                              \
        stk_cuda_pool_args args = args_of(call);                                                   \
        return stk_cuda_launched(                                                                  \
            call, stk_cuda_##id##_launch(&args, stk_cuda_of(call->device)->stream), err);          \
    }                                                                                              \
    const stk_kernel stk_cuda_##id = {                                                             \
        .op = &stk_graph_op_##id, .name = "native", .can = stk_cuda_pool_can, .run = run_##id}

ROW(max_pool);
ROW(max_pool_grad);
ROW(average_pool);
ROW(average_pool_grad);
