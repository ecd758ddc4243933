/* Fusions into convolutions and GEMMs of the CPU backend: activations, and the gradient of the
 * bias. */
#include "compute/cpu/dnnl.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/matmul.h"
#include "compute/ops/op_support.h"
#include <math.h>
#include <stdlib.h>

static const stk_activation activations[] = {
    {&stk_activation_relu, 0, 0},       {&stk_activation_clip, 0, 6},
    {&stk_activation_clip, 0.2f, 0.7f}, {&stk_activation_leaky_relu, 0.1f, 0},
    {&stk_activation_gelu, 0, 0},       {&stk_activation_silu, 0, 0},
    {&stk_activation_sigmoid, 0, 0},    {&stk_activation_tanh, 0, 0},
    {&stk_activation_hardswish, 0, 0},  {&stk_activation_hardsigmoid, 0, 0},
};

static int build_conv2d(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    stk_conv2d_attrs attrs = {
        .stride = {1, 1}, .dilation = {1, 1}, .pad = {1, 1, 1, 1}, .groups = 1};
    attrs.act = *(const stk_activation *)context;
    stk_graph_add(g, &stk_graph_op_conv2d, in, 3, &attrs, out, 1);
    return 1;
}

static int build_dense(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    stk_matmul_attrs attrs = {.transpose_b = true, .act = *(const stk_activation *)context};
    out[0] = stk_graph_add3(g, &stk_graph_op_matmul, in[0], in[1], in[2], &attrs);
    return 1;
}

static int build_grad_weight(stk_graph *g, const stk_symbol *in, stk_symbol *out,
                             const void *context)
{
    stk_conv2d_attrs attrs = {
        .stride = {1, 1}, .dilation = {1, 1}, .pad = {1, 1, 1, 1}, .groups = 1, .size = {3, 3}};
    (void)context;
    stk_graph_add(g, &stk_graph_op_conv2d_grad_weight, in, 2, &attrs, out, 2);
    return 2;
}

static void expect_same(const op_case *c)
{
    enum { CAPACITY = 1 << 16 };
    static float expected[CAPACITY], found[CAPACITY];
    size_t       count = op_results(c, "ref", 9, false, expected, CAPACITY);
    EXPECT_INT_EQ(count, op_results(c, "cpu", 9, false, found, CAPACITY));
    EXPECT(count <= CAPACITY);
    float most = 1e-6f;
    for (size_t i = 0; i < count; i++)
        most = fmaxf(most, fabsf(expected[i]));
    for (size_t i = 0; i < count; i++)
        EXPECT(fabsf(expected[i] - found[i]) <= 1e-4f * most);
}

STK_TEST(convolutions_end_with_any_activation)
{
    static const int64_t channels[][2] = {{3, 20}, {16, 16}, {40, 33}};
    for (size_t i = 0; i < COUNT_OF(activations); i++)
        for (size_t j = 0; j < COUNT_OF(channels); j++)
            expect_same(
                &(op_case){.build = build_conv2d,
                           .context = &activations[i],
                           .inputs = 3,
                           .in = {{.shape = stk_shape_4d(2, 6, 5, channels[j][0])},
                                  {.shape = stk_shape_4d(channels[j][1], channels[j][0], 3, 3)},
                                  {.shape = stk_shape_1d(channels[j][1])}}});
}

STK_TEST(products_end_with_any_activation)
{
    for (size_t i = 0; i < COUNT_OF(activations); i++)
        expect_same(&(op_case){.build = build_dense,
                               .context = &activations[i],
                               .inputs = 3,
                               .in = {{.shape = stk_shape_2d(5, 33)},
                                      {.shape = stk_shape_2d(17, 33)},
                                      {.shape = stk_shape_1d(17)}}});
}

STK_TEST(the_gradient_of_the_bias_comes_with_that_of_the_weight)
{
    static const int64_t channels[][2] = {{3, 20}, {16, 16}, {40, 33}};
    for (size_t j = 0; j < COUNT_OF(channels); j++)
        expect_same(&(op_case){.build = build_grad_weight,
                               .inputs = 2,
                               .in = {{.shape = stk_shape_4d(2, 6, 5, channels[j][0])},
                                      {.shape = stk_shape_4d(2, 6, 5, channels[j][1])}}});
}

/* A fusion that falls back to the reference would be slower. */
STK_TEST(every_activation_can_be_fused)
{
    for (size_t i = 0; i < COUNT_OF(activations); i++)
        EXPECT(stk_dnnl_can_fuse(&activations[i]));
    EXPECT(stk_dnnl_can_fuse(&(stk_activation){0}));
    EXPECT(!stk_dnnl_can_fuse(&(stk_activation){.row = &(stk_activation_row){.name = "other"}}));
}
