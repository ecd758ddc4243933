#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <math.h>

/* One, odd, a multiple of 16 bytes, rows of a warp and of a block, one more. */
static const struct {
    int rows, width;
} shapes[] = {{1, 1}, {3, 2}, {5, 7}, {2, 8}, {9, 64}, {2, 257}, {2, 1000}};

STK_TEST(softmax)
{
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        stk_shape shape = MATRIX(shapes[i].rows, shapes[i].width);
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_softmax,
                                  .inputs = 1,
                                  .in = {{.shape = shape, .low = -6, .high = 6}}}));
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_softmax_grad,
                                  .inputs = 2,
                                  .in = {{.shape = shape}, {.shape = shape, .high = 1}}}));
    }
    EXPECT_CUDA((&(cuda_case){
        .op = &stk_graph_op_softmax, .inputs = 1, .in = {{.shape = NHWC(2, 3, 5, 6)}}}));
    EXPECT_CUDA(
        (&(cuda_case){.op = &stk_graph_op_softmax, .inputs = 1, .in = {{.shape = MATRIX(0, 5)}}}));
}

STK_TEST(softmax_of_what_overflows)
{
    const float x[] = {1000, 999, -1000, 0, -INFINITY, 3, 3, 3, NAN, 1, 2, 3};
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_softmax,
                              .inputs = 1,
                              .only_float32 = true,
                              .in = {{.shape = MATRIX(3, 4), .data = x}}}));
}

STK_TEST(dropout_keeps_what_the_reference_keeps)
{
    static const int     counts[] = {1, 3, 4, 8, 9, 2051};
    static const int64_t steps[] = {0, 7, (int64_t)5 << 33};
    static const double  rates[] = {0.1, 0.5, 0.999999999999};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        for (size_t k = 0; k < COUNT_OF(steps); k++) {
            stk_dropout_attrs attrs = {rates[k], 0x123456789abcdefu, 3, 0};
            EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_dropout,
                                      .attrs = &attrs,
                                      .inputs = 2,
                                      .in = {{.shape = VECTOR(counts[i]), .low = 1, .high = 2},
                                             {.dtype = STK_DTYPE_I64, .data = &steps[k]}}}));
        }
}

STK_TEST(dropout_of_rows)
{
    static const stk_shape images[] = {NHWC(9, 1, 1, 1), NHWC(6, 3, 5, 3), NHWC(5, 4, 4, 16),
                                       NHWC(0, 2, 2, 2)};
    const int64_t          step = 11;
    stk_dropout_attrs      attrs = {0.5, 42, 1, 1};
    for (size_t i = 0; i < COUNT_OF(images); i++)
        for (int padded = 0; padded < 2; padded++)
            EXPECT_CUDA((&(cuda_case){
                .op = &stk_graph_op_dropout,
                .attrs = &attrs,
                .inputs = 2,
                .have = padded ? 4 : 0,
                .in = {{.shape = images[i]}, {.dtype = STK_DTYPE_I64, .data = &step}}}));
}

STK_TEST(embedding)
{
    static const struct {
        int rows, width, count;
    } sizes[] = {{1, 1, 1}, {5, 3, 9}, {40, 8, 300}, {33, 64, 513}, {70, 300, 40}, {3, 4, 0}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (int wide = 0; wide < 2; wide++) {
            stk_embedding_attrs attrs = {sizes[i].rows};
            /* some ids are out of range */
            cuda_input ids = {.shape = VECTOR(sizes[i].count),
                              .dtype = wide ? STK_DTYPE_I64 : STK_DTYPE_I32,
                              .low = -1,
                              .high = sizes[i].rows + 1};
            EXPECT_CUDA(
                (&(cuda_case){.op = &stk_graph_op_embedding,
                              .attrs = &attrs,
                              .inputs = 2,
                              .in = {{.shape = MATRIX(sizes[i].rows, sizes[i].width)}, ids}}));
            EXPECT_CUDA(
                (&(cuda_case){.op = &stk_graph_op_embedding_grad,
                              .attrs = &attrs,
                              .inputs = 2,
                              .in = {{.shape = MATRIX(sizes[i].count, sizes[i].width)}, ids}}));
        }
}
