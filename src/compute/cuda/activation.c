/* activation(x) and activation_grad(dy, seen) */
#include "compute/cuda_kernels/activation.h"
#include "compute/cuda/act.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include <string.h>

bool stk_cuda_act_of(const stk_activation *from, stk_cuda_activation *to)
{
    static const char *const names[STK_CUDA_ACTS] = {
        [STK_CUDA_ACT_RELU] = "relu",
        [STK_CUDA_ACT_CLIP] = "clip",
        [STK_CUDA_ACT_LEAKY_RELU] = "leaky_relu",
        [STK_CUDA_ACT_GELU] = "gelu",
        [STK_CUDA_ACT_SILU] = "silu",
        [STK_CUDA_ACT_SIGMOID] = "sigmoid",
        [STK_CUDA_ACT_TANH] = "tanh",
        [STK_CUDA_ACT_HARDSWISH] = "hardswish",
        [STK_CUDA_ACT_HARDSIGMOID] = "hardsigmoid",
    };
    *to = (stk_cuda_activation){STK_CUDA_ACT_NONE, from->a, from->b};
    if (!from->row) return true;
    for (int i = STK_CUDA_ACT_NONE + 1; i < STK_CUDA_ACTS; i++)
        if (strcmp(names[i], from->row->name) == 0) {
            to->act = (stk_cuda_act)i;
            return true;
        }
    return false;
}

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    stk_cuda_activation act;
    (void)device;
    return stk_cuda_act_of(instance->attrs, &act);
}

static stk_status start(const stk_kernel_call *call, const void *x, const void *dy, stk_error *err)
{
    stk_cuda_layout layout = stk_cuda_layout_of(&call->instance.out[0], call->out_format[0]);
    stk_cuda_activation_args args = {.dtype = (int)call->instance.out[0].dtype,
                                     .count = layout.elements,
                                     .x = x,
                                     .dy = dy,
                                     .out = call->out[0]};
    stk_cuda_act_of(call->instance.attrs, &args.act);
    return stk_cuda_launched(
        call, stk_cuda_activation_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static stk_status run_value(const stk_kernel_call *call, stk_error *err)
{
    return start(call, call->in[0], NULL, err);
}

static stk_status run_grad(const stk_kernel_call *call, stk_error *err)
{
    return start(call, call->in[1], call->in[0], err);
}

/* Padding must stay zero. Activations that do not map 0 to 0 take plain tensors. */
#define ROWS(id, formats_)                                                                         \
    const stk_kernel stk_cuda_##id = {                                                             \
        .op = &stk_graph_op_##id,                                                                  \
        .name = "native",                                                                          \
        .can = can,                                                                                \
        .formats = formats_,                                                                       \
        .run = run_value,                                                                          \
    };                                                                                             \
    const stk_kernel stk_cuda_##id##_grad = {                                                      \
        .op = &stk_graph_op_##id##_grad,                                                           \
        .name = "native",                                                                          \
        .can = can,                                                                                \
        .formats = stk_cuda_formats_same,                                                          \
        .run = run_grad,                                                                           \
    }

ROWS(relu, stk_cuda_formats_same);
ROWS(clip, NULL);
ROWS(leaky_relu, stk_cuda_formats_same);
ROWS(gelu, stk_cuda_formats_same);
ROWS(silu, stk_cuda_formats_same);
ROWS(sigmoid, NULL);
ROWS(tanh, stk_cuda_formats_same);
ROWS(hardswish, stk_cuda_formats_same);
ROWS(hardsigmoid, NULL);
