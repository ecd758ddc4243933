#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/matmul.h"

#define CUBE(a, b, c) ((stk_shape){.rank = 3, .dim = {a, b, c}})

static stk_shape matrix(int64_t batch, int64_t rows, int64_t columns, bool transposed)
{
    int64_t a = transposed ? columns : rows, b = transposed ? rows : columns;
    return batch ? CUBE(batch, a, b) : MATRIX(a, b);
}

/* batch 0: matrices. */
static void expect_product(int64_t batch, int64_t m, int64_t n, int64_t k, int form)
{
    bool             ta = form & 1, tb = form & 2;
    stk_matmul_attrs attrs = {.transpose_a = ta, .transpose_b = tb};
    EXPECT_CUDA((&(cuda_case){
        .op = &stk_graph_op_matmul,
        .attrs = &attrs,
        .inputs = 2,
        .tolerance = 1e-5,
        .in = {{.shape = matrix(batch, m, k, ta)}, {.shape = matrix(batch, k, n, tb)}}}));
}

STK_TEST(products_of_any_size_and_order)
{
    static const int64_t sizes[][3] = {
        {1, 1, 1}, {3, 5, 7}, {64, 64, 16}, {65, 17, 33}, {8, 72, 40}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (int form = 0; form < 4; form++)
            expect_product(0, sizes[i][0], sizes[i][1], sizes[i][2], form);
    expect_product(0, 0, 4, 4, 0);
    expect_product(0, 4, 4, 0, 0);
}

STK_TEST(products_in_batches)
{
    for (int form = 0; form < 4; form++) {
        expect_product(3, 5, 9, 7, form);
        expect_product(2, 16, 24, 8, form);
    }
}

STK_TEST(one_matrix_for_all_rows)
{
    stk_matmul_attrs attrs = {.transpose_b = true};
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_matmul,
                              .attrs = &attrs,
                              .inputs = 2,
                              .tolerance = 1e-5,
                              .in = {{.shape = CUBE(3, 5, 16)}, {.shape = MATRIX(10, 16)}}}));
}

STK_TEST(bias_and_activation)
{
    const stk_activation acts[] = {
        {0},
        {&stk_activation_relu, 0, 0},
        {&stk_activation_gelu, 0, 0},
        {&stk_activation_clip, -0.5f, 0.5f},
    };
    for (size_t i = 0; i < COUNT_OF(acts); i++)
        for (int bias = 0; bias < 3; bias++) {
            stk_matmul_attrs attrs = {.transpose_b = true, .act = acts[i]};
            EXPECT_CUDA(
                (&(cuda_case){.op = &stk_graph_op_matmul,
                              .attrs = &attrs,
                              .inputs = bias ? 3 : 2,
                              .tolerance = 1e-5,
                              .in = {{.shape = MATRIX(9, 32)},
                                     {.shape = MATRIX(24, 32)},
                                     {.shape = VECTOR(24),
                                      .dtype = bias == 1 ? STK_DTYPE_F32 : STK_DTYPE_NONE}}}));
        }
}
