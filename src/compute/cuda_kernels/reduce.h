/* Sums over dimensions in a fixed order. */
#ifndef STK_COMPUTE_CUDA_KERNELS_REDUCE_H
#define STK_COMPUTE_CUDA_KERNELS_REDUCE_H

#include "compute/cuda_kernels/tensor_iter.h"

STK_CUDA_BEGIN

/* x is [outer, reduced, inner], summed over the middle. If mixed, iterators are used: each element
 * of kept_dims is the sum over reduced_dims from there. */
typedef struct stk_cuda_reduce_args {
    int                  dtype; /* an stk_dtype, of both */
    int64_t              outer, reduced, inner;
    float                multiply; /* factor of the sums */
    int64_t              splits;   /* of reduced, from stk_cuda_reduce_splits */
    const void          *x;
    void                *out;
    float               *partial; /* [splits, outer * inner] */
    int                  mixed;
    stk_cuda_tensor_iter kept_dims, reduced_dims; /* of one tensor */
} stk_cuda_reduce_args;

/* Number of splits that fill the GPU. */
int64_t     stk_cuda_reduce_splits(const stk_cuda_reduce_args *args);
cudaError_t stk_cuda_reduce_launch(const stk_cuda_reduce_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
