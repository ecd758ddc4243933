/* Casts many tensors in one launch. */
#ifndef STK_COMPUTE_CUDA_KERNELS_CAST_H
#define STK_COMPUTE_CUDA_KERNELS_CAST_H

#include "compute/cuda_kernels/multi_tensor.h"

STK_CUDA_BEGIN

enum { STK_CUDA_CAST_ITEMS = 256 };

typedef struct stk_cuda_cast_attrs {
    int from, to; /* stk_dtypes */
} stk_cuda_cast_attrs;

/* attrs: stk_cuda_cast_attrs. Each item has one input and one output. */
cudaError_t stk_cuda_cast_launch(const void *attrs, const stk_cuda_multi_tensor_item *const *items,
                                 int count, cudaStream_t stream);

STK_CUDA_END
#endif
