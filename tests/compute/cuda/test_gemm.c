/* dgrad of GEMMs with an addend, with enough rows for wgmma kernels; the last row tile is
 * incomplete. */
#include "compute/cuda/cuda_support.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"

static void expect_sum(int side, int in, int out)
{
    stk_conv2d_attrs attrs = {
        .stride = {1, 1}, .dilation = {1, 1}, .groups = 1, .size = {side, side}};
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_conv2d_grad_input,
                              .attrs = &attrs,
                              .inputs = 3,
                              .in = {{.shape = NHWC(1, side, side, out)},
                                     {.shape = NHWC(out, in, 1, 1), .low = -0.3, .high = 0.3},
                                     {.shape = NHWC(1, side, side, in)}},
                              .tolerance = 2e-5}));
}

STK_TEST(few_rows)
{
    expect_sum(5, 64, 64);
}

STK_TEST(many_rows)
{
    if (cuda_is_emulated()) return;
    expect_sum(91, 64, 64);
    expect_sum(91, 128, 64);
    expect_sum(95, 192, 128);
    expect_sum(93, 64, 256);
}

static void expect_norm(int side, int in, int out)
{
    stk_conv2d_attrs attrs = {
        .stride = {1, 1}, .dilation = {1, 1}, .groups = 1, .size = {side, side}};
    EXPECT_CUDA((&(cuda_case){
        .op = &stk_graph_op_conv2d_grad_norm,
        .attrs = &attrs,
        .inputs = STK_GRAD_NORM_INPUTS,
        .only_16_bits = true,
        .in = {[STK_GRAD_NORM_DY] = {.shape = NHWC(1, side, side, out)},
               [STK_GRAD_NORM_W] = {.shape = NHWC(out, in, 1, 1), .low = -0.3, .high = 0.3},
               [STK_GRAD_NORM_ADDEND] = {.shape = NHWC(1, side, side, in)},
               [STK_GRAD_NORM_BITS] = {.shape = VECTOR((int64_t)side * side * in / 8),
                                       .dtype = STK_DTYPE_U8,
                                       .high = 256},
               [STK_GRAD_NORM_X] = {.shape = NHWC(1, side, side, in), .low = -1, .high = 3},
               [STK_GRAD_NORM_MEAN] = {.shape = VECTOR(in), .dtype = STK_DTYPE_F32},
               [STK_GRAD_NORM_INVSTD] = {
                   .shape = VECTOR(in), .dtype = STK_DTYPE_F32, .low = 0.5, .high = 2}}}));
}

STK_TEST(many_rows_with_the_sums_of_a_norm)
{
    if (cuda_is_emulated()) return; /* tensor cores are not emulated */
    expect_norm(91, 64, 64);
    expect_norm(91, 128, 64);
    expect_norm(95, 192, 128);
    expect_norm(93, 512, 128);
    expect_norm(93, 64, 256);
    expect_norm(181, 256, 64);
}
