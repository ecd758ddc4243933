#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stoker/ops.h>

STK_TEST(larger_images_and_their_gradients)
{
    static const int64_t shapes[][4] = {{2, 3, 5, 8}, {1, 1, 1, 3}, {1, 4, 1, 16}, {2, 7, 2, 5}};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int factor = 1; factor <= 3; factor++)
            for (int k = 0; k < 2; k++) {
                const int64_t     *s = shapes[i];
                stk_upsample_attrs attrs = {factor,
                                            k ? STK_UPSAMPLE_BILINEAR : STK_UPSAMPLE_NEAREST};
                EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_upsample,
                                          .attrs = &attrs,
                                          .inputs = 1,
                                          .in = {{.shape = NHWC(s[0], s[1], s[2], s[3])}}}));
                EXPECT_CUDA((&(cuda_case){
                    .op = &stk_graph_op_upsample_grad,
                    .attrs = &attrs,
                    .inputs = 1,
                    .in = {{.shape = NHWC(s[0], s[1] * factor, s[2] * factor, s[3])}}}));
            }
}
