#include "compute/cuda/cuda_support.h"
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"

static const struct {
    const stk_graph_op *value, *grad;
    stk_activation      act;
} rows[] = {
    {&stk_graph_op_relu, &stk_graph_op_relu_grad, {&stk_activation_relu, 0, 0}},
    {&stk_graph_op_clip, &stk_graph_op_clip_grad, {&stk_activation_clip, -0.5f, 0.75f}},
    {&stk_graph_op_leaky_relu,
     &stk_graph_op_leaky_relu_grad,
     {&stk_activation_leaky_relu, 0.1f, 0}},
    {&stk_graph_op_gelu, &stk_graph_op_gelu_grad, {&stk_activation_gelu, 0, 0}},
    {&stk_graph_op_silu, &stk_graph_op_silu_grad, {&stk_activation_silu, 0, 0}},
    {&stk_graph_op_sigmoid, &stk_graph_op_sigmoid_grad, {&stk_activation_sigmoid, 0, 0}},
    {&stk_graph_op_tanh, &stk_graph_op_tanh_grad, {&stk_activation_tanh, 0, 0}},
    {&stk_graph_op_hardswish, &stk_graph_op_hardswish_grad, {&stk_activation_hardswish, 0, 0}},
    {&stk_graph_op_hardsigmoid,
     &stk_graph_op_hardsigmoid_grad,
     {&stk_activation_hardsigmoid, 0, 0}},
};

STK_TEST(activations)
{
    static const int counts[] = {1, 7, 8, 9, 255, 2049};
    for (size_t r = 0; r < COUNT_OF(rows); r++)
        for (size_t i = 0; i < COUNT_OF(counts); i++) {
            stk_shape shape = VECTOR(counts[i]);
            EXPECT_CUDA((&(cuda_case){.op = rows[r].value,
                                      .attrs = &rows[r].act,
                                      .inputs = 1,
                                      .in = {{.shape = shape, .low = -4, .high = 4}}}));
            EXPECT_CUDA((&(cuda_case){.op = rows[r].grad,
                                      .attrs = &rows[r].act,
                                      .inputs = 2,
                                      .in = {{.shape = shape}, {.shape = shape}}}));
        }
}

STK_TEST(activation_of_padded_images)
{
    const stk_activation relu = {&stk_activation_relu, 0, 0};
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_relu,
                              .attrs = &relu,
                              .inputs = 1,
                              .have = 4,
                              .in = {{.shape = NHWC(2, 3, 5, 3)}}}));
}
