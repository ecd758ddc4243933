/* Convolutions for tests, and the expectations for all three directions. */
#ifndef STK_TESTS_COMPUTE_CUDA_CONV_SUPPORT_H
#define STK_TESTS_COMPUTE_CUDA_CONV_SUPPORT_H

#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_support.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"

/* Sets the number of multiprocessors that work division sees: with few, each has several items of
 * little work. Returns the old number. */
static inline int set_processors(int count)
{
    stk_cuda *cuda = stk_cuda_of(cuda_device());
    int       before = cuda->processors;
    cuda->processors = count;
    return before;
}

typedef struct convolution {
    int64_t batch, height, width, in, out;
    int     kernel[2], stride[2], dilation[2], pad[4], groups;
    double  tolerance; /* of float32; 0: the default */
} convolution;

static inline stk_conv2d_attrs attrs_of(const convolution *c)
{
    stk_conv2d_attrs a = {.groups = c->groups};
    for (int i = 0; i < 2; i++)
        a.stride[i] = c->stride[i], a.dilation[i] = c->dilation[i];
    for (int i = 0; i < 4; i++)
        a.pad[i] = c->pad[i];
    return a;
}

static inline stk_shape x_of(const convolution *c)
{
    return NHWC(c->batch, c->height, c->width, c->in);
}

static inline stk_shape w_of(const convolution *c)
{
    return stk_shape_4d(c->out, c->in / c->groups, c->kernel[0], c->kernel[1]);
}

static inline stk_shape y_of(const convolution *c)
{
    stk_conv2d_attrs attrs = attrs_of(c);
    stk_tensor_type  in[2] = {{STK_DTYPE_F32, x_of(c)}, {STK_DTYPE_F32, w_of(c)}};
    stk_tensor_type  out[STK_OP_OUTPUTS];
    stk_error        err;
    EXPECT_OK(
        stk_graph_op_conv2d.infer(&(stk_op_instance){"conv", &attrs, 2, 1, in, out}, out, &err));
    return out[0].shape;
}

static inline void expect_forward(const convolution *c, stk_activation act, bool bias,
                                  stk_format have)
{
    stk_conv2d_attrs attrs = attrs_of(c);
    attrs.act = act;
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_conv2d,
                              .attrs = &attrs,
                              .tolerance = c->tolerance,
                              .inputs = bias ? 3 : 2,
                              .outputs = 1,
                              .have = have,
                              .in = {{.shape = x_of(c)},
                                     {.shape = w_of(c)},
                                     {.shape = VECTOR(c->out), .dtype = STK_DTYPE_F32}}}));
}

static inline void expect_gradients(const convolution *c, stk_format have)
{
    stk_conv2d_attrs attrs = attrs_of(c);
    attrs.size[0] = (int)c->height, attrs.size[1] = (int)c->width;
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_conv2d_grad_input,
                              .attrs = &attrs,
                              .tolerance = c->tolerance,
                              .inputs = 2,
                              .in = {{.shape = y_of(c)}, {.shape = w_of(c)}}}));
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_conv2d_grad_input,
                              .attrs = &attrs,
                              .tolerance = c->tolerance,
                              .inputs = 3,
                              .in = {{.shape = y_of(c)}, {.shape = w_of(c)}, {.shape = x_of(c)}}}));
    attrs.size[0] = c->kernel[0], attrs.size[1] = c->kernel[1];
    for (int outputs = 1; outputs <= 2; outputs++)
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_conv2d_grad_weight,
                                  .attrs = &attrs,
                                  .tolerance = c->tolerance,
                                  .inputs = 2,
                                  .outputs = outputs,
                                  .have = have,
                                  .in = {{.shape = x_of(c)}, {.shape = y_of(c)}}}));
}

#endif
