#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"

static void expect_one(stk_shape shape, unsigned axes, bool mean)
{
    EXPECT_CUDA((&(cuda_case){.op = mean ? &stk_graph_op_reduce_mean : &stk_graph_op_reduce_sum,
                              .attrs = &(stk_reduce_attrs){axes, mean},
                              .inputs = 1,
                              .in = {{.shape = shape, .low = -0.5, .high = 1}}}));
}

static void expect_both(stk_shape shape, unsigned axes)
{
    expect_one(shape, axes, false);
    expect_one(shape, axes, true);
}

STK_TEST(sums_over_every_set_of_dimensions)
{
    for (unsigned axes = 1; axes < 16; axes++)
        expect_one(NHWC(2, 3, 2, axes % 2 ? 5 : 8), axes, axes / 2 % 2);
    expect_both((stk_shape){0}, 0);
}

STK_TEST(sums_per_channel)
{
    static const int channels[] = {3, 8, 64, 300};
    for (size_t i = 0; i < COUNT_OF(channels); i++)
        expect_one(MATRIX(601, channels[i]), 1, i % 2);
}

STK_TEST(sums_of_images)
{
    expect_both(NHWC(3, 7, 7, 128), 6);
    expect_both(NHWC(2, 7, 7, 10), 6);
}

STK_TEST(sums_of_rows)
{
    expect_both(MATRIX(70, 1000), 2);
    expect_both(MATRIX(65, 33), 2);
    expect_both(MATRIX(3, 9000), 2);
    expect_both(MATRIX(2, 9001), 2);
}

STK_TEST(sums_of_everything_and_nothing)
{
    expect_both(VECTOR(20000), 1);
    expect_both(VECTOR(7), 1);
    expect_both(MATRIX(0, 8), 1);
    expect_both(MATRIX(0, 8), 2);
}
