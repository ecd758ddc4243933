/* Tensor iterator: a strided walk over several tensors of one shape. */
#ifndef STK_COMPUTE_CUDA_KERNELS_TENSOR_ITER_H
#define STK_COMPUTE_CUDA_KERNELS_TENSOR_ITER_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

enum { STK_CUDA_ITER_RANK = 8, STK_CUDA_ITER_TENSORS = 3 };

typedef struct stk_cuda_tensor_iter {
    int     rank, tensors;
    int64_t size[STK_CUDA_ITER_RANK]; /* slowest first */
    /* Elements between neighbours, by tensor and dimension; 0 where a tensor is broadcast. */
    int64_t stride[STK_CUDA_ITER_TENSORS][STK_CUDA_ITER_RANK];
} stk_cuda_tensor_iter;

STK_CUDA_END
#endif
