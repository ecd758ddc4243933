#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"

static const stk_graph_op *const ops[] = {&stk_graph_op_add, &stk_graph_op_sub, &stk_graph_op_mul};

static void expect_all(stk_shape a, stk_shape b, stk_format have)
{
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        EXPECT_CUDA((&(cuda_case){
            .op = ops[i], .inputs = 2, .have = have, .in = {{.shape = a}, {.shape = b}}}));
}

STK_TEST(arithmetic_of_equal_shapes)
{
    static const int counts[] = {0, 1, 7, 4096, 8192 + 13};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        expect_all(VECTOR(counts[i]), VECTOR(counts[i]), 0);
    expect_all(NHWC(2, 3, 5, 3), NHWC(2, 3, 5, 3), 4);
    expect_all((stk_shape){0}, (stk_shape){0}, 0);
}

STK_TEST(arithmetic_of_shapes_that_are_repeated)
{
    expect_all(NHWC(2, 3, 5, 16), NHWC(2, 1, 1, 16), 0);
    expect_all(NHWC(2, 1, 1, 5), NHWC(2, 3, 5, 5), 0);
    expect_all(NHWC(3, 4, 8, 24), NHWC(3, 4, 8, 1), 0);
    expect_all(NHWC(3, 1, 8, 1), NHWC(1, 4, 1, 3), 4);
    expect_all(NHWC(2, 3, 4, 8), (stk_shape){0}, 0);
    expect_all(VECTOR(1), MATRIX(7, 9), 0);
    expect_all((stk_shape){.rank = 3, .dim = {4, 6, 8}}, MATRIX(6, 8), 0);
    expect_all(MATRIX(0, 8), MATRIX(1, 8), 0);
}

STK_TEST(bias_of_either_type)
{
    static const int channels[] = {1, 3, 8, 64, 100};
    for (size_t i = 0; i < COUNT_OF(channels); i++)
        for (int same = 0; same < 2; same++)
            EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_bias,
                                      .inputs = 2,
                                      .in = {{.shape = NHWC(2, 3, 5, channels[i])},
                                             {.shape = VECTOR(channels[i]),
                                              .dtype = same ? STK_DTYPE_NONE : STK_DTYPE_F32}}}));
    EXPECT_CUDA((&(cuda_case){
        .op = &stk_graph_op_bias,
        .inputs = 2,
        .in = {{.shape = VECTOR(24)}, {.shape = VECTOR(24), .dtype = STK_DTYPE_F32}}}));
}

STK_TEST(scale_with_and_without_a_shift)
{
    static const int counts[] = {0, 1, 9, 8192, 8192 + 3};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_scale,
                                  .attrs = &(stk_scale_attrs){-2.5, 0.75},
                                  .inputs = 1,
                                  .in = {{.shape = VECTOR(counts[i])}}}));
    for (int shift = 0; shift < 2; shift++)
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_scale,
                                  .attrs = &(stk_scale_attrs){3, shift},
                                  .inputs = 1,
                                  .have = 4,
                                  .in = {{.shape = NHWC(2, 3, 5, 3)}}}));
}
