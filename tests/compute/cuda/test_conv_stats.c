/* Convolutions with mean and variance of their result: one fused GEMM on compute capability 9.0 if
 * large enough, else two launches. */
#include "compute/cuda/cuda_support.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"

static stk_conv2d_attrs square(int stride, int pad, int groups)
{
    return (stk_conv2d_attrs){.stride = {stride, stride},
                              .dilation = {1, 1},
                              .pad = {pad, pad, pad, pad},
                              .groups = groups};
}

static cuda_case of(const stk_conv2d_attrs *attrs, stk_shape x, stk_shape w)
{
    return (cuda_case){.op = &stk_graph_op_conv2d,
                       .attrs = attrs,
                       .inputs = 2,
                       .outputs = STK_CONV2D_OUTPUTS,
                       .in = {{.shape = x}, {.shape = w, .low = -0.3, .high = 0.3}},
                       .tolerance = 2e-5,
                       .tolerance16 = 2e-3};
}

STK_TEST(any_convolution_has_statistics)
{
    const stk_conv2d_attrs one = square(1, 0, 1), three = square(2, 1, 1), each = square(1, 1, 16);
    cuda_case              c = of(&one, NHWC(2, 5, 3, 24), NHWC(8, 24, 1, 1));
    EXPECT_CUDA(&c);
    c = of(&three, NHWC(2, 6, 5, 8), NHWC(16, 8, 3, 3));
    EXPECT_CUDA(&c);
    c = of(&each, NHWC(2, 6, 5, 16), NHWC(16, 1, 3, 3));
    EXPECT_CUDA(&c);
}

/* Blocks with one and several column groups, with words beyond the pixel; items that start inside
 * an image. */
STK_TEST(depthwise_convolutions_have_statistics)
{
    static const int shapes[][5] = {{9, 7, 7, 136, 1},
                                    {3, 20, 15, 16, 1},
                                    {12, 6, 5, 200, 2},
                                    {1, 3, 1, 6, 1},
                                    {2, 9, 33, 8, 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int             *s = shapes[i];
        const stk_conv2d_attrs each = square(s[4], 1, s[3]);
        cuda_case              c = of(&each, NHWC(s[0], s[1], s[2], s[3]), NHWC(s[3], 1, 3, 3));
        EXPECT_CUDA(&c);
        c.inputs = 3;
        c.in[2] = (cuda_input){.shape = VECTOR(s[3]), .dtype = STK_DTYPE_F32, .low = 3, .high = 4};
        EXPECT_CUDA(&c);
    }
}

STK_TEST(a_bias_counts)
{
    const stk_conv2d_attrs one = square(1, 0, 1);
    cuda_case              c = of(&one, NHWC(2, 5, 3, 24), NHWC(8, 24, 1, 1));
    c.inputs = 3;
    c.in[2] = (cuda_input){.shape = VECTOR(8), .dtype = STK_DTYPE_F32, .low = 3, .high = 4};
    EXPECT_CUDA(&c);
}

/* Enough rows for the fused GEMM; the last row tile is incomplete. */
STK_TEST(products_of_many_rows)
{
    static const struct {
        int side, in, out;
    } shapes[] = {{91, 64, 64}, {91, 64, 128}, {95, 128, 192}, {93, 256, 64}};
    const stk_conv2d_attrs one = square(1, 0, 1);
    if (cuda_is_emulated()) return;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        cuda_case c = of(&one, NHWC(1, shapes[i].side, shapes[i].side, shapes[i].in),
                         NHWC(shapes[i].out, shapes[i].in, 1, 1));
        EXPECT_CUDA(&c);
    }
}
