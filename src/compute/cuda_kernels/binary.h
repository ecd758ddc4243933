/* a + b, a - b and a * b, of equal shapes or broadcast. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BINARY_H
#define STK_COMPUTE_CUDA_KERNELS_BINARY_H

#include "compute/cuda_kernels/tensor_iter.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_binary_args {
    int                  multiply; /* else a + sign * b */
    float                sign;
    int                  dtype, b_dtype; /* of b: the same or float32 */
    const void          *a, *b;
    void                *out;
    int64_t              count;  /* if all shapes are equal; 0: iter is used */
    stk_cuda_tensor_iter iter;   /* over a, b, out, with merged dimensions */
    int                  pieces; /* iter has pieces of 16 bytes of a */
} stk_cuda_binary_args;

cudaError_t stk_cuda_binary_launch(const stk_cuda_binary_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
