/* First convolutions: images of up to four channels, on tensor cores. */
#include "compute/cuda/conv_support.h"
#include <string.h>

typedef struct stem {
    int64_t batch, height, width, in, out;
    int     kernel, stride, before, after;
} stem;

static convolution convolution_of(const stem *s)
{
    int b = s->before, a = s->after;
    return (convolution){.batch = s->batch,
                         .height = s->height,
                         .width = s->width,
                         .in = s->in,
                         .out = s->out,
                         .kernel = {s->kernel, s->kernel},
                         .stride = {s->stride, s->stride},
                         .dilation = {1, 1},
                         .pad = {b, a, b, a},
                         .groups = 1,
                         .tolerance = 1e-5};
}

static void expect_statistics(const stem *s, double low, double high)
{
    convolution      c = convolution_of(s);
    stk_conv2d_attrs attrs = attrs_of(&c);
    EXPECT_CUDA(
        (&(cuda_case){.op = &stk_graph_op_conv2d,
                      .attrs = &attrs,
                      .inputs = 3,
                      .outputs = STK_CONV2D_OUTPUTS,
                      .in = {{.shape = x_of(&c)},
                             {.shape = w_of(&c), .low = -0.3, .high = 0.3},
                             {VECTOR(c.out), .dtype = STK_DTYPE_F32, .low = low, .high = high}},
                      .tolerance = 2e-5,
                      .tolerance16 = 2e-3}));
}

static void expect_weight(const stem *s, int outputs)
{
    convolution      c = convolution_of(s);
    stk_conv2d_attrs attrs = attrs_of(&c);
    attrs.size[0] = attrs.size[1] = s->kernel;
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_conv2d_grad_weight,
                              .attrs = &attrs,
                              .tolerance = c.tolerance,
                              .inputs = 2,
                              .outputs = outputs,
                              .in = {{.shape = x_of(&c)}, {.shape = y_of(&c)}}}));
}

static void expect_plain(const stem *s)
{
    convolution    c = convolution_of(s);
    stk_activation none = {NULL, 0, 0};
    expect_forward(&c, none, false, STK_FORMAT_PLAIN);
}

/* All channel counts of a warp; rows with an incomplete tile, or a single one; padding that starts
 * at odd and even pixels, and asymmetric padding. */
static const stem small[] = {
    {3, 9, 21, 3, 64, 3, 1, 1, 1}, {3, 10, 18, 3, 32, 3, 2, 1, 1}, {2, 7, 5, 3, 24, 3, 1, 1, 1},
    {2, 8, 12, 4, 16, 3, 2, 0, 1}, {1, 11, 35, 1, 48, 3, 2, 1, 1}, {2, 6, 6, 3, 24, 2, 1, 0, 0},
    {1, 5, 17, 2, 16, 3, 1, 1, 1}, {1, 4, 33, 3, 96, 1, 2, 0, 0},
};

/* Some odd rows and columns of the filter are outside; images of odd and even sides. */
static const stem large[] = {{2, 11, 37, 3, 64, 7, 2, 3, 3},
                             {1, 12, 22, 3, 64, 7, 2, 3, 3},
                             {1, 9, 10, 3, 32, 5, 2, 2, 2},
                             {1, 8, 12, 3, 32, 7, 2, 2, 3}};

STK_TEST(small_kernels)
{
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        expect_plain(&small[i]);
}

STK_TEST(large_kernels)
{
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        expect_plain(&large[i]);
}

STK_TEST(biases_and_activations)
{
    convolution three = convolution_of(&small[1]), seven = convolution_of(&large[0]);
    expect_forward(&three, (stk_activation){&stk_activation_relu, 0, 0}, true, STK_FORMAT_PLAIN);
    expect_forward(&three, (stk_activation){&stk_activation_silu, 0, 0}, true, STK_FORMAT_PLAIN);
    expect_forward(&seven, (stk_activation){&stk_activation_clip, 0, 1}, true, STK_FORMAT_PLAIN);
}

/* With means of several deviations, and about zero. */
STK_TEST(statistics)
{
    for (size_t i = 1; i < 3; i++)
        expect_statistics(&small[i], 3, 4);
    expect_statistics(&large[1], -1, 1);
}

STK_TEST(gradients_by_weight)
{
    for (size_t i = 0; i < 6; i++)
        expect_weight(&small[i], 1 + i % 2);
    expect_weight(&large[0], 1);
}

/* Blocks that go down several images and start inside one. */
STK_TEST(many_images)
{
    static const stem many[] = {{17, 6, 5, 3, 32, 3, 1, 1, 1}, {5, 13, 9, 3, 64, 7, 2, 3, 3}};
    expect_plain(&many[1]);
    expect_weight(&many[0], 1);
    expect_statistics(&many[0], 3, 4);
}

/* Enough steps for several per block and image; and the width with its own kernel. */
STK_TEST(images_of_many_steps)
{
    static const stem many[] = {{4, 40, 4, 3, 32, 3, 1, 1, 1},
                                {4, 64, 4, 3, 64, 7, 2, 3, 3},
                                {2, 30, 224, 3, 64, 7, 2, 3, 3},
                                {8, 6, 224, 3, 64, 7, 2, 3, 3}};
    size_t            count = cuda_is_emulated() ? 2 : sizeof many / sizeof *many;
    int               processors = set_processors(2);
    for (size_t i = 0; i < count; i++) {
        expect_plain(&many[i]);
        expect_weight(&many[i], 1);
        expect_statistics(&many[i], -1, 1);
    }
    set_processors(processors);
}

STK_TEST(what_it_takes)
{
    static const stem wide = {256, 224, 224, 3, 64, 7, 2, 3, 3};
    stk_device       *device = cuda_device();
    convolution       c = convolution_of(&wide);
    stk_conv2d_attrs  attrs = attrs_of(&c);
    stk_tensor_type   in[2] = {{STK_DTYPE_F16, x_of(&c)}, {STK_DTYPE_F16, w_of(&c)}};
    stk_tensor_type   out[STK_OP_OUTPUTS];
    stk_op_instance   instance = {"conv", &attrs, 2, 1, in, out};
    stk_error         err;
    EXPECT_OK(stk_graph_op_conv2d.infer(&instance, out, &err));
    EXPECT_STR_EQ("stem", device->backend->kernel(device, &stk_graph_op_conv2d, &instance)->name);
    in[0].dtype = in[1].dtype = STK_DTYPE_F32;
    EXPECT_OK(stk_graph_op_conv2d.infer(&instance, out, &err));
    assert_true(
        strcmp("stem", device->backend->kernel(device, &stk_graph_op_conv2d, &instance)->name) !=
        0);
}
