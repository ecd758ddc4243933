/* a + b, a - b and a * b, of equal shapes or walked along the larger one. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BINARY_H
#define STK_COMPUTE_CUDA_KERNELS_BINARY_H

#include "compute/cuda_kernels/tensor_iter.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_binary_args {
    int                  multiply; /* else added, b times sign */
    float                sign;
    int                  dtype, b_dtype; /* b: the same, or float32 */
    const void          *a, *b;
    void                *out;
    int64_t              count;  /* where all shapes are equal; 0: the walk is followed */
    stk_cuda_tensor_iter iter;   /* a, b, out, joined */
    int                  pieces; /* the walk is in pieces of 16 bytes of a */
} stk_cuda_binary_args;

cudaError_t stk_cuda_binary_launch(const stk_cuda_binary_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
