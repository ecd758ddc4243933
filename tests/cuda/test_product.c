/* Gradients of products with another gradient added, of rows enough for the tensor cores' own
 * kernel; the last tile of rows is not full. */
#include "cuda/cuda_support.h"
#include "ops/conv2d.h"
#include "ops/ops.h"
#include <string.h>

static bool is_emulated(void)
{
    stk_device *device = cuda_device();
    char        name[128];
    device->backend->describe(device, name, sizeof name);
    return strstr(name, "emulated");
}

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
    if (is_emulated()) return; /* it would take minutes */
    expect_sum(91, 64, 64);
    expect_sum(91, 128, 64);
    expect_sum(95, 192, 128);
    expect_sum(93, 64, 256);
}
