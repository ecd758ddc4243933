#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/pool.h"
#include <math.h>

typedef struct pooling {
    int64_t batch, height, width, channels;
    int     kernel[2], stride[2], pad[4];
} pooling;

/* Windows that overlap, touch and leave gaps; odd sides; channels for wide and narrow access. */
static const pooling poolings[] = {
    {2, 9, 11, 8, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {2, 8, 12, 24, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {1, 33, 7, 3, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {2, 8, 6, 16, {2, 2}, {2, 2}, {0}},
    {1, 7, 5, 5, {2, 2}, {2, 2}, {0}},
    {1, 6, 7, 8, {3, 2}, {1, 3}, {2, 0, 1, 0}},
    {1, 5, 5, 1, {5, 5}, {1, 1}, {0}},
    {2, 4, 4, 40, {3, 3}, {1, 1}, {1, 1, 1, 1}},
    {1, 6, 6, 2, {1, 1}, {2, 2}, {0}},
    {3, 1, 1, 9, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {1, 10, 9, 16, {3, 3}, {2, 2}, {0, 1, 0, 1}},
    {1, 12, 12, 8, {2, 2}, {3, 3}, {0}},
    {1, 31, 6, 4, {3, 3}, {2, 2}, {2, 0, 2, 1}},
    {1, 30, 5, 12, {3, 3}, {2, 2}, {0, 0, 1, 2}},
    {0, 4, 4, 8, {2, 2}, {2, 2}, {0}},
};

static stk_pool_attrs attrs_of(const pooling *p, bool grad, int count_pad)
{
    stk_pool_attrs a = {.count_pad = count_pad};
    for (int i = 0; i < 2; i++)
        a.kernel[i] = p->kernel[i], a.stride[i] = p->stride[i];
    for (int i = 0; i < 4; i++)
        a.pad[i] = p->pad[i];
    if (grad) a.size[0] = (int)p->height, a.size[1] = (int)p->width;
    return a;
}

static stk_shape result_of(const pooling *p)
{
    stk_pool_attrs  attrs = attrs_of(p, false, 0);
    stk_tensor_type in = {STK_DTYPE_F32, NHWC(p->batch, p->height, p->width, p->channels)}, out[2];
    stk_error       err;
    EXPECT_OK(
        stk_graph_op_max_pool.infer(&(stk_op_instance){"pool", &attrs, 1, 2, &in, out}, out, &err));
    return out[0].shape;
}

STK_TEST(largest_of_windows_and_where)
{
    for (size_t i = 0; i < COUNT_OF(poolings); i++)
        for (int outputs = 1; outputs <= 2; outputs++) {
            const pooling *p = &poolings[i];
            stk_pool_attrs attrs = attrs_of(p, false, 0);
            EXPECT_CUDA((
                &(cuda_case){.op = &stk_graph_op_max_pool,
                             .attrs = &attrs,
                             .inputs = 1,
                             .outputs = outputs,
                             .in = {{.shape = NHWC(p->batch, p->height, p->width, p->channels)}}}));
        }
}

STK_TEST(of_equal_elements_the_first_counts_and_nan_is_largest)
{
    enum { SIDE = 6, CHANNELS = 8 };
    const float specials[] = {
        0, 1, 1, (float)NAN, -1, 1, -(float)INFINITY, 0, -(float)INFINITY, -(float)INFINITY, 0, 1};
    float x[SIDE * SIDE * CHANNELS];
    for (size_t i = 0; i < COUNT_OF(x); i++)
        x[i] = specials[i / 3 % COUNT_OF(specials)];
    for (int kernel = 2; kernel <= 3; kernel++) {
        stk_pool_attrs attrs = {
            .kernel = {kernel, kernel}, .stride = {2, 2}, .pad = {kernel - 1, 1, 1, 1}};
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_max_pool,
                                  .attrs = &attrs,
                                  .inputs = 1,
                                  .in = {{.shape = NHWC(1, SIDE, SIDE, CHANNELS), .data = x}}}));
    }
}

STK_TEST(gradients_go_to_the_largest)
{
    for (size_t i = 0; i < COUNT_OF(poolings); i++) {
        const pooling *p = &poolings[i];
        stk_pool_attrs attrs = attrs_of(p, true, 0);
        stk_shape      y = result_of(p);
        EXPECT_CUDA((&(cuda_case){
            .op = &stk_graph_op_max_pool_grad,
            .attrs = &attrs,
            .inputs = 2,
            .in = {{.shape = y},
                   {.shape = y, .dtype = STK_DTYPE_U8, .high = p->kernel[0] * p->kernel[1]}}}));
    }
}

STK_TEST(means_of_windows_and_their_gradients)
{
    for (size_t i = 0; i < COUNT_OF(poolings); i++)
        for (int count_pad = 0; count_pad <= 1; count_pad++) {
            const pooling *p = &poolings[i];
            stk_pool_attrs attrs = attrs_of(p, false, count_pad);
            EXPECT_CUDA((
                &(cuda_case){.op = &stk_graph_op_average_pool,
                             .attrs = &attrs,
                             .inputs = 1,
                             .in = {{.shape = NHWC(p->batch, p->height, p->width, p->channels)}}}));
            attrs = attrs_of(p, true, count_pad);
            EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_average_pool_grad,
                                      .attrs = &attrs,
                                      .inputs = 1,
                                      .in = {{.shape = result_of(p)}}}));
        }
}
