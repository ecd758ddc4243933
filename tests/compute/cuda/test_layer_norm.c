#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <stdlib.h>

/* One; odd; the lines of a warp, and one more; those of a block; and beyond. */
static const stk_shape shapes[] = {
    MATRIX(1, 1),    MATRIX(5, 7),    MATRIX(2, 0),    MATRIX(0, 8),    MATRIX(3, 129),
    MATRIX(2, 1024), MATRIX(2, 1032), MATRIX(1, 8200), MATRIX(300, 16),
};

static const stk_layer_norm_attrs attrs = {1e-5};

STK_TEST(layer_norm)
{
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        cuda_input channels = {.shape = VECTOR((int)shapes[i].dim[1]), .dtype = STK_DTYPE_F32};
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_layer_norm,
                                  .attrs = &attrs,
                                  .inputs = 3,
                                  .tolerance = 4e-6,
                                  .in = {{.shape = shapes[i]}, channels, channels}}));
    }
}

STK_TEST(layer_norm_of_small_deviations_from_a_large_mean)
{
    enum { ROWS = 3, WIDTH = 700 };
    float           *x = malloc(sizeof *x * ROWS * WIDTH);
    const cuda_input channels = {.shape = VECTOR(WIDTH), .dtype = STK_DTYPE_F32};
    for (int i = 0; i < ROWS * WIDTH; i++)
        x[i] = 1000 + (float)(i * 7919 % 31) / 512;
    EXPECT_CUDA(
        (&(cuda_case){.op = &stk_graph_op_layer_norm,
                      .attrs = &attrs,
                      .inputs = 3,
                      .only_float32 = true,
                      .in = {{.shape = MATRIX(ROWS, WIDTH), .data = x}, channels, channels}}));
    free(x);
}

STK_TEST(layer_norm_gradients)
{
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        stk_shape  shape = shapes[i];
        cuda_input channels = {.shape = VECTOR((int)shape.dim[1]), .dtype = STK_DTYPE_F32};
        cuda_input rows = {.shape = VECTOR((int)shape.dim[0]), .dtype = STK_DTYPE_F32};
        EXPECT_CUDA(
            (&(cuda_case){.op = &stk_graph_op_layer_norm_grad,
                          .attrs = &attrs,
                          .inputs = 5,
                          .tolerance = 1e-5,
                          .in = {{.shape = shape}, {.shape = shape}, channels, rows, rows}}));
    }
}
