/* 3x3 convolutions from 64 to 64 channels, by wgmma kernels if available. */
#include "compute/cuda/conv_support.h"
#include <string.h>

typedef struct images {
    int64_t batch, height, width;
} images;

static convolution convolution_of(const images *p)
{
    return (convolution){.batch = p->batch,
                         .height = p->height,
                         .width = p->width,
                         .in = 64,
                         .out = 64,
                         .kernel = {3, 3},
                         .stride = {1, 1},
                         .dilation = {1, 1},
                         .pad = {1, 1, 1, 1},
                         .groups = 1};
}

static void expect_results(const images *p, int outputs)
{
    convolution      c = convolution_of(p);
    stk_conv2d_attrs attrs = attrs_of(&c);
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_conv2d,
                              .attrs = &attrs,
                              .inputs = 2,
                              .outputs = outputs,
                              .only_16_bits = true,
                              .in = {{.shape = x_of(&c), .low = -0.5, .high = 1},
                                     {.shape = w_of(&c), .low = -0.1, .high = 0.12}},
                              .tolerance16 = 2e-3}));
}

static void expect_by_input(const images *p)
{
    convolution      c = convolution_of(p);
    stk_conv2d_attrs attrs = attrs_of(&c);
    attrs.size[0] = (int)p->height, attrs.size[1] = (int)p->width;
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_conv2d_grad_input,
                              .attrs = &attrs,
                              .inputs = 2,
                              .only_16_bits = true,
                              .in = {{.shape = y_of(&c)}, {.shape = w_of(&c)}}}));
}

static void expect_by_weight(const images *p)
{
    convolution      c = convolution_of(p);
    stk_conv2d_attrs attrs = attrs_of(&c);
    attrs.size[0] = attrs.size[1] = 3;
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_conv2d_grad_weight,
                              .attrs = &attrs,
                              .inputs = 2,
                              .outputs = 1,
                              .only_16_bits = true,
                              .in = {{.shape = x_of(&c)}, {.shape = y_of(&c)}}}));
}

STK_TEST(few_images)
{
    static const images few = {1, 4, 32};
    expect_results(&few, 1);
    expect_by_input(&few);
    expect_by_weight(&few);
}

/* Blocks have enough stripes to reuse the first buffer, some one more than others, and start inside
 * an image. A stripe may be a complete image, with zeros above and below, or have neighbours. */
STK_TEST(many_stripes)
{
    static const images many[] = {{11, 16, 32}, {27, 4, 32}, {7, 16, 56}};
    if (cuda_is_emulated()) return;
    int processors = set_processors(4);
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        expect_results(&many[i], 1);
        expect_results(&many[i], STK_CONV2D_OUTPUTS);
        expect_by_input(&many[i]);
        expect_by_weight(&many[i]);
    }
    set_processors(processors);
}

/* Some multiprocessors have one stripe, others two. */
STK_TEST(a_stripe_for_each)
{
    stk_device *device = cuda_device();
    images      few = {.batch = stk_cuda_of(device)->processors + 7, .height = 4, .width = 32};
    if (cuda_is_emulated()) return;
    expect_results(&few, STK_CONV2D_OUTPUTS);
    expect_by_input(&few);
}

/* The kernel of a convolution with a native kernel, and of some without. */
static const char *kernel_of(const convolution *c, int outputs, stk_dtype dtype)
{
    stk_device      *device = cuda_device();
    stk_conv2d_attrs attrs = attrs_of(c);
    stk_tensor_type  in[2] = {{dtype, x_of(c)}, {dtype, w_of(c)}}, out[STK_OP_OUTPUTS];
    stk_op_instance  instance = {"conv", &attrs, 2, outputs, in, out};
    stk_error        err;
    EXPECT_OK(stk_graph_op_conv2d.infer(&instance, out, &err));
    return device->backend->kernel(device, &stk_graph_op_conv2d, &instance)->name;
}

static void expect_other(const convolution *c, stk_dtype dtype)
{
    assert_true(strcmp("3x3", kernel_of(c, 1, dtype)) != 0);
}

STK_TEST(what_it_takes)
{
    static const images imagenet = {256, 56, 56}, cifar = {512, 32, 32};
    convolution         c = convolution_of(&imagenet), small = convolution_of(&cifar);
    if (stk_cuda_of(cuda_device())->hopper) {
        EXPECT_STR_EQ("3x3", kernel_of(&c, 1, STK_DTYPE_F16));
        EXPECT_STR_EQ("3x3", kernel_of(&c, STK_CONV2D_OUTPUTS, STK_DTYPE_F16));
        EXPECT_STR_EQ("3x3", kernel_of(&small, 1, STK_DTYPE_BF16));
    }
    expect_other(&c, STK_DTYPE_F32);
    convolution other = c;
    other.batch = 2;
    expect_other(&other, STK_DTYPE_F16);
    other = c, other.width = 54;
    expect_other(&other, STK_DTYPE_F16);
    other = c, other.height = 54;
    expect_other(&other, STK_DTYPE_F16);
    other = c, other.in = 128;
    expect_other(&other, STK_DTYPE_F16);
    other = c, other.stride[0] = other.stride[1] = 2;
    expect_other(&other, STK_DTYPE_F16);
    other = c, other.pad[0] = 0;
    expect_other(&other, STK_DTYPE_F16);
    other = c, other.groups = 2;
    expect_other(&other, STK_DTYPE_F16);
}
