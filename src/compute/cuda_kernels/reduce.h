/* Sums over dimensions, each in a fixed order. */
#ifndef STK_COMPUTE_CUDA_KERNELS_REDUCE_H
#define STK_COMPUTE_CUDA_KERNELS_REDUCE_H

#include "compute/cuda_kernels/tensor_iter.h"

STK_CUDA_BEGIN

/* x is [outer, gone, inner], summed over the middle; or, where mixed, walked: each element of kept
 * is the sum of all of gone from there. */
typedef struct stk_cuda_reduce_args {
    int                  dtype; /* an stk_dtype, of both */
    int64_t              outer, reduced, inner;
    float                multiply; /* what sums are multiplied with */
    int64_t              splits;   /* of gone, as stk_cuda_reduce_splits says */
    const void          *x;
    void                *out;
    float               *partial; /* [splits, outer * inner] */
    int                  mixed;
    stk_cuda_tensor_iter kept_dims, reduced_dims; /* of one tensor */
} stk_cuda_reduce_args;

/* In how many pieces the middle is summed, so that a GPU has enough to do. */
int64_t     stk_cuda_reduce_splits(const stk_cuda_reduce_args *args);
cudaError_t stk_cuda_reduce_launch(const stk_cuda_reduce_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
