/* Gradients of depthwise convolutions on the CPU backend. */
#include "compute/cpu/cpu_support.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"

typedef struct layer {
    int kernel, stride, pad[4];
} layer;

static const layer layers[] = {
    {3, 1, {1, 1, 1, 1}}, {3, 2, {1, 1, 1, 1}}, {3, 2, {0, 1, 0, 1}}, {3, 1, {0, 0, 0, 0}},
    {5, 1, {2, 2, 2, 2}}, {5, 2, {2, 2, 2, 2}}, {5, 2, {1, 2, 1, 2}}, {3, 1, {2, 0, 0, 2}},
};
static const int64_t channels[] = {8, 17, 24, 64};

static void expect_layer(const layer *l, int64_t height, int64_t width, int64_t c)
{
    stk_conv2d_attrs attrs = {.stride = {l->stride, l->stride},
                              .dilation = {1, 1},
                              .pad = {l->pad[0], l->pad[1], l->pad[2], l->pad[3]},
                              .groups = (int)c};
    cpu_input        x = {.shape = NHWC(3, height, width, c)};
    cpu_input        w = {.shape = stk_shape_4d(c, 1, l->kernel, l->kernel)};
    stk_tensor_type  in[2] = {{STK_DTYPE_F32, x.shape}, {STK_DTYPE_F32, w.shape}};
    stk_tensor_type  y[STK_OP_OUTPUTS];
    stk_op_instance  instance = {"case", &attrs, 2, 1, in, y};
    stk_error        err;
    EXPECT_OK(stk_graph_op_conv2d.infer(&instance, y, &err));
    stk_conv2d_attrs back = attrs;
    back.size[0] = (int)height, back.size[1] = (int)width;
    expect_cpu(&(cpu_case){.op = &stk_graph_op_conv2d_grad_input,
                           .attrs = &back,
                           .inputs = 2,
                           .in = {{.shape = y[0].shape}, w}});
    back.size[0] = back.size[1] = l->kernel;
    for (int outputs = 1; outputs <= 2 && height * width >= 56 * 56; outputs++)
        expect_cpu(&(cpu_case){.op = &stk_graph_op_conv2d_grad_weight,
                               .attrs = &back,
                               .inputs = 2,
                               .outputs = outputs,
                               .in = {x, {.shape = y[0].shape}},
                               .tolerance = 2e-6});
}

STK_TEST(gradients_of_depthwise_convolutions_agree_with_the_reference)
{
    for (size_t l = 0; l < COUNT_OF(layers); l++)
        for (size_t c = 0; c < COUNT_OF(channels); c++) {
            expect_layer(&layers[l], 9, 11, channels[c]);
            expect_layer(&layers[l], 5, 5, channels[c]);
        }
}

/* Native wgrad kernels run for these sizes only. */
STK_TEST(gradients_of_larger_images_agree_too)
{
    for (size_t l = 0; l < COUNT_OF(layers); l++)
        expect_layer(&layers[l], 56, 57, 17);
    expect_layer(&layers[0], 3, 3, 8);
}
