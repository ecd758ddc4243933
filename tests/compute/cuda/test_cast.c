#include "compute/cuda/cuda_support.h"
#include "compute/cuda_kernels/cast.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <math.h>

STK_TEST(cast_between_floats)
{
    static const stk_dtype to[] = {STK_DTYPE_F32, STK_DTYPE_F16, STK_DTYPE_BF16};
    static const int       counts[] = {0, 1, 7, 8192, 8192 * 2 + 5};
    for (size_t t = 0; t < COUNT_OF(to); t++)
        for (size_t i = 0; i < COUNT_OF(counts); i++)
            EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_cast,
                                      .attrs = &(stk_cast_attrs){(int)to[t]},
                                      .inputs = 1,
                                      .tolerance = 4e-3,
                                      .tolerance16 = 4e-3,
                                      .in = {{.shape = VECTOR(counts[i])}}}));
}

STK_TEST(cast_of_padded_images)
{
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_cast,
                              .attrs = &(stk_cast_attrs){STK_DTYPE_F32},
                              .inputs = 1,
                              .have = 4,
                              .in = {{.shape = NHWC(2, 3, 5, 3)}}}));
}

STK_TEST(cast_from_and_to_other_numbers)
{
    static const stk_dtype others[] = {STK_DTYPE_U8, STK_DTYPE_I32, STK_DTYPE_I64};
    static const float odd[] = {0, -1.5f, 2.7f, 300, -400, 1e20f, -1e20f, INFINITY, NAN, 127.9f};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        EXPECT_CUDA((&(cuda_case){
            .op = &stk_graph_op_cast,
            .attrs = &(stk_cast_attrs){STK_DTYPE_F32},
            .inputs = 1,
            .only_float32 = true,
            .in = {{.shape = VECTOR(1000), .dtype = others[i], .low = 0, .high = 200}}}));
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_cast,
                                  .attrs = &(stk_cast_attrs){(int)others[i]},
                                  .inputs = 1,
                                  .in = {{.shape = VECTOR(COUNT_OF(odd)), .data = odd}}}));
        EXPECT_CUDA(
            (&(cuda_case){.op = &stk_graph_op_cast,
                          .attrs = &(stk_cast_attrs){STK_DTYPE_BOOL},
                          .inputs = 1,
                          .only_float32 = true,
                          .in = {{.shape = VECTOR(77), .dtype = others[i], .low = 0, .high = 2}}}));
    }
}
