#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"

#define CUBE(a, b, c) ((stk_shape){.rank = 3, .dim = {a, b, c}})

static void expect_one(const stk_graph_op *op, const void *attrs, stk_shape shape)
{
    EXPECT_CUDA((&(cuda_case){.op = op, .attrs = attrs, .inputs = 1, .in = {{.shape = shape}}}));
}

static void expect_bytes(const stk_graph_op *op, const void *attrs, stk_shape shape)
{
    static const stk_dtype others[] = {STK_DTYPE_U8, STK_DTYPE_I64};
    expect_one(op, attrs, shape);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        EXPECT_CUDA((&(cuda_case){.op = op,
                                  .attrs = attrs,
                                  .inputs = 1,
                                  .only_float32 = true,
                                  .in = {{.shape = shape, .dtype = others[i], .high = 99}}}));
}

STK_TEST(transpose_in_every_order)
{
    static const int64_t sizes[][3] = {{3, 5, 7}, {2, 33, 40}, {9, 16, 8}, {0, 4, 4}};
    static const int     orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t o = 0; o < COUNT_OF(orders); o++) {
            stk_transpose_attrs attrs = {3, {orders[o][0], orders[o][1], orders[o][2]}};
            expect_bytes(&stk_graph_op_transpose, &attrs,
                         CUBE(sizes[s][0], sizes[s][1], sizes[s][2]));
        }
}

STK_TEST(transpose_of_images)
{
    expect_one(&stk_graph_op_transpose, &(stk_transpose_attrs){4, {0, 3, 1, 2}},
               NHWC(2, 9, 11, 40));
    expect_one(&stk_graph_op_transpose, &(stk_transpose_attrs){4, {0, 2, 3, 1}},
               NHWC(2, 40, 9, 11));
    expect_one(&stk_graph_op_transpose, &(stk_transpose_attrs){4, {0, 2, 1, 3}},
               NHWC(2, 9, 12, 32));
}

STK_TEST(slice_out_of_a_box)
{
    expect_bytes(&stk_graph_op_slice, &(stk_slice_attrs){{1, 2, 3}, {2, 3, 4}}, CUBE(4, 6, 9));
    expect_bytes(&stk_graph_op_slice, &(stk_slice_attrs){{0, 0, 8}, {4, 6, 16}}, CUBE(4, 6, 32));
    expect_one(&stk_graph_op_slice, &(stk_slice_attrs){{0, 0, 0}, {4, 0, 16}}, CUBE(4, 6, 32));
    expect_one(&stk_graph_op_slice, &(stk_slice_attrs){{1, 0, 0}, {2, 6, 32}}, CUBE(4, 6, 32));
}

STK_TEST(pad_with_a_value)
{
    expect_one(&stk_graph_op_pad, &(stk_pad_attrs){{0, 1, 2, 0}, {0, 2, 1, 0}, 0},
               NHWC(2, 3, 4, 8));
    expect_one(&stk_graph_op_pad, &(stk_pad_attrs){{1, 0, 0, 1}, {0, 0, 1, 2}, 1.5},
               NHWC(2, 3, 4, 3));
    expect_bytes(&stk_graph_op_pad, &(stk_pad_attrs){{1, 1, 1}, {1, 1, 1}, 0}, CUBE(3, 4, 5));
}

STK_TEST(broadcast_along_any_dimension)
{
    const stk_shape_attrs attrs = {NHWC(2, 3, 5, 16)};
    expect_one(&stk_graph_op_broadcast, &attrs, NHWC(2, 1, 1, 16));
    expect_one(&stk_graph_op_broadcast, &attrs, NHWC(2, 3, 5, 1));
    expect_one(&stk_graph_op_broadcast, &attrs, NHWC(1, 3, 1, 16));
    expect_one(&stk_graph_op_broadcast, &attrs, VECTOR(16));
    expect_one(&stk_graph_op_broadcast, &attrs, (stk_shape){0});
}

STK_TEST(reshape_copies)
{
    expect_bytes(&stk_graph_op_reshape, &(stk_shape_attrs){MATRIX(15, 14)}, CUBE(5, 6, 7));
}

STK_TEST(concat_along_each_dimension)
{
    static const int64_t parts[] = {3, 8, 1};
    for (int axis = 0; axis < 3; axis++) {
        cuda_case c = {.op = &stk_graph_op_concat, .attrs = &(stk_concat_attrs){axis}, .inputs = 3};
        for (int i = 0; i < 3; i++) {
            c.in[i].shape = CUBE(4, 6, 8);
            c.in[i].shape.dim[axis] = parts[i];
        }
        EXPECT_CUDA(&c);
    }
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_concat,
                              .attrs = &(stk_concat_attrs){3},
                              .inputs = 2,
                              .in = {{.shape = NHWC(2, 3, 3, 16)}, {.shape = NHWC(2, 3, 3, 24)}}}));
}

STK_TEST(fill_with_a_number)
{
    static const stk_dtype dtypes[] = {STK_DTYPE_F32, STK_DTYPE_F16, STK_DTYPE_BF16,
                                       STK_DTYPE_I32, STK_DTYPE_I64, STK_DTYPE_U8};
    static const int       counts[] = {0, 1, 5, 16384 + 3};
    for (size_t d = 0; d < COUNT_OF(dtypes); d++)
        for (size_t i = 0; i < COUNT_OF(counts); i++)
            EXPECT_CUDA(
                (&(cuda_case){.op = &stk_graph_op_fill,
                              .attrs = &(stk_fill_attrs){VECTOR(counts[i]), (int)dtypes[d], 0, 3},
                              .only_float32 = true}));
}
