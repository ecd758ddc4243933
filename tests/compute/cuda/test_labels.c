#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <math.h>
#include <stdlib.h>

static const struct {
    int rows, classes;
} shapes[] = {{1, 1}, {3, 2}, {5, 10}, {9, 16}, {2, 257}, {3, 1000}};

enum { NUMBERS32, NUMBERS64, PROBABILITIES, LABEL_KINDS };

/* Class indices from -1 on: some rows are ignored. */
static cuda_input labels_for(int kind, int rows, int classes)
{
    if (kind == PROBABILITIES)
        return (cuda_input){.shape = MATRIX(rows, classes), .dtype = STK_DTYPE_F32, .high = 1};
    return (cuda_input){.shape = VECTOR(rows),
                        .dtype = kind == NUMBERS32 ? STK_DTYPE_I32 : STK_DTYPE_I64,
                        .low = -1,
                        .high = classes + 0.5};
}

static void expect_loss(int rows, int classes, int kind, double smoothing)
{
    bool                    only_float32 = rows > 500; /* slow */
    stk_cross_entropy_attrs attrs = {smoothing};
    cuda_input              logits = {.shape = MATRIX(rows, classes), .low = -5, .high = 5};
    cuda_input              labels = labels_for(kind, rows, classes);
    cuda_input              dloss = {.dtype = STK_DTYPE_F32, .low = 0.5, .high = 0.6};
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_softmax_cross_entropy,
                              .attrs = &attrs,
                              .inputs = 2,
                              .only_float32 = only_float32,
                              .in = {logits, labels}}));
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_softmax_cross_entropy_grad,
                              .attrs = &attrs,
                              .inputs = 3,
                              .only_float32 = only_float32,
                              .in = {logits, labels, dloss}}));
}

STK_TEST(cross_entropy)
{
    static const double smoothings[] = {0, 0.1, 1};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int kind = 0; kind < LABEL_KINDS; kind++)
            expect_loss(shapes[i].rows, shapes[i].classes, kind,
                        smoothings[(i + (size_t)kind) % COUNT_OF(smoothings)]);
}

STK_TEST(cross_entropy_of_no_rows_and_of_many)
{
    expect_loss(0, 3, NUMBERS64, 0.1);
    expect_loss(513, 2, NUMBERS32, 0);
}

STK_TEST(cross_entropy_without_a_label_is_zero)
{
    const int64_t           none[] = {-1, -100, 4};
    stk_cross_entropy_attrs attrs = {0};
    cuda_input              logits = {.shape = MATRIX(3, 4)};
    cuda_input              labels = {.shape = VECTOR(3), .dtype = STK_DTYPE_I64, .data = none};
    cuda_input              dloss = {.dtype = STK_DTYPE_F32};
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_softmax_cross_entropy,
                              .attrs = &attrs,
                              .inputs = 2,
                              .in = {logits, labels}}));
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_softmax_cross_entropy_grad,
                              .attrs = &attrs,
                              .inputs = 3,
                              .in = {logits, labels, dloss}}));
}

STK_TEST(cross_entropy_of_infinite_logits)
{
    const float             x[] = {-INFINITY, 1, 2, 3, -INFINITY, 1, 2, 3};
    const float             p[] = {0, 0.5f, 0.5f, 0, 0, 0, 0, 1};
    const int32_t           k[] = {3, 1};
    stk_cross_entropy_attrs attrs = {0};
    cuda_input              logits = {.shape = MATRIX(2, 4), .data = x};
    EXPECT_CUDA(
        (&(cuda_case){.op = &stk_graph_op_softmax_cross_entropy,
                      .attrs = &attrs,
                      .inputs = 2,
                      .in = {logits, {.shape = MATRIX(2, 4), .dtype = STK_DTYPE_F32, .data = p}}}));
    EXPECT_CUDA(
        (&(cuda_case){.op = &stk_graph_op_softmax_cross_entropy,
                      .attrs = &attrs,
                      .inputs = 2,
                      .in = {logits, {.shape = VECTOR(2), .dtype = STK_DTYPE_I32, .data = k}}}));
}

static void expect_weighted(int rows, int classes, int kind, double smoothing, double gamma,
                            bool weighted)
{
    bool                       only_float32 = rows > 500; /* slow */
    stk_weighted_entropy_attrs attrs = {smoothing, gamma};
    cuda_input                 logits = {.shape = MATRIX(rows, classes), .low = -5, .high = 5};
    cuda_input                 labels = labels_for(kind, rows, classes);
    cuda_input                 dloss = {.dtype = STK_DTYPE_F32, .low = 0.5, .high = 0.6};
    cuda_input weights = {.shape = VECTOR(classes), .dtype = STK_DTYPE_F32, .low = 0.2, .high = 3};
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_weighted_cross_entropy,
                              .attrs = &attrs,
                              .inputs = weighted ? 3 : 2,
                              .only_float32 = only_float32,
                              .in = {logits, labels, weights}}));
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_weighted_cross_entropy_grad,
                              .attrs = &attrs,
                              .inputs = weighted ? 4 : 3,
                              .only_float32 = only_float32,
                              .tolerance = 4e-6,
                              .in = {logits, labels, dloss, weights}}));
}

STK_TEST(weighted_cross_entropy_with_and_without_focus)
{
    static const double smoothings[] = {0, 0.1}, gammas[] = {0, 0.5, 2};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int kind = 0; kind < LABEL_KINDS; kind++) {
            size_t at = i + (size_t)kind;
            expect_weighted(shapes[i].rows, shapes[i].classes, kind, smoothings[at % 2],
                            gammas[at % 3], true);
            expect_weighted(shapes[i].rows, shapes[i].classes, kind, smoothings[at / 2 % 2],
                            gammas[(at + 1) % 3], false);
        }
}

STK_TEST(weighted_cross_entropy_of_no_rows_of_many_and_of_no_weight)
{
    const int64_t              none[] = {-1, -100, 4}, some[] = {0, 1, 0};
    const float                zero[] = {0, 0, 1, 1};
    stk_weighted_entropy_attrs attrs = {0, 2};
    cuda_input                 logits = {.shape = MATRIX(3, 4)};
    cuda_input                 weights = {.shape = VECTOR(4), .dtype = STK_DTYPE_F32, .data = zero};
    expect_weighted(0, 3, NUMBERS64, 0.1, 2, true);
    expect_weighted(513, 2, NUMBERS32, 0, 2, true);
    expect_weighted(513, 2, PROBABILITIES, 0.1, 0, true);
    for (int i = 0; i < 2; i++) {
        cuda_input labels = {.shape = VECTOR(3), .dtype = STK_DTYPE_I64, .data = i ? some : none};
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_weighted_cross_entropy,
                                  .attrs = &attrs,
                                  .inputs = 3,
                                  .in = {logits, labels, weights}}));
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_weighted_cross_entropy_grad,
                                  .attrs = &attrs,
                                  .inputs = 4,
                                  .in = {logits, labels, {.dtype = STK_DTYPE_F32}, weights}}));
    }
}

STK_TEST(top_k_correct)
{
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int kind = 0; kind < LABEL_KINDS; kind++) {
            int             classes = shapes[i].classes;
            stk_top_k_attrs attrs = {classes > 5 ? classes / 2 : 1};
            EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_top_k_correct,
                                      .attrs = &attrs,
                                      .inputs = 2,
                                      .in = {{.shape = MATRIX(shapes[i].rows, classes)},
                                             labels_for(kind, shapes[i].rows, classes)}}));
        }
}

STK_TEST(top_k_correct_of_equal_ones_and_of_no_numbers)
{
    const float     x[] = {1, 1, 0, 1, 1, 0, NAN, 1, 0, 0, NAN, 1, NAN, NAN, NAN};
    const int32_t   labels[] = {0, 1, 1, 1, 0};
    stk_top_k_attrs attrs = {1};
    EXPECT_CUDA(
        (&(cuda_case){.op = &stk_graph_op_top_k_correct,
                      .attrs = &attrs,
                      .inputs = 2,
                      .in = {{.shape = MATRIX(5, 3), .data = x},
                             {.shape = VECTOR(5), .dtype = STK_DTYPE_I32, .data = labels}}}));
}

STK_TEST(count_labels)
{
    static const int rows[] = {0, 1, 300};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int kind = 0; kind < LABEL_KINDS; kind++)
            EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_count_labels,
                                      .inputs = 1,
                                      .in = {labels_for(kind, rows[i], 2)}}));
}

STK_TEST(mean_squared_error)
{
    static const int counts[] = {0, 1, 7, 8, 2049, 5000};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        cuda_input x = {.shape = VECTOR(counts[i])};
        EXPECT_CUDA(
            (&(cuda_case){.op = &stk_graph_op_mean_squared_error, .inputs = 2, .in = {x, x}}));
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_mean_squared_error_grad,
                                  .inputs = 3,
                                  .in = {x, x, {.dtype = STK_DTYPE_F32, .high = 1}}}));
    }
}
