/* Copies between strided tensors, and fills. */
#ifndef STK_COMPUTE_CUDA_KERNELS_MOVE_H
#define STK_COMPUTE_CUDA_KERNELS_MOVE_H

#include "compute/cuda_kernels/tensor_iter.h"

STK_CUDA_BEGIN

/* iter: from src to dst, with merged dimensions. width: bytes per element, 1 to 16; both are
 * aligned to it. */
cudaError_t stk_cuda_move_launch(const stk_cuda_tensor_iter *iter, size_t width, const void *src,
                                 void *dst, cudaStream_t stream);

typedef struct stk_cuda_pattern {
    uint32_t word[4];
} stk_cuda_pattern;

/* Repeats the pattern from dst on, which is 16-byte aligned. */
cudaError_t stk_cuda_fill_launch(void *dst, int64_t bytes, stk_cuda_pattern pattern,
                                 cudaStream_t stream);

STK_CUDA_END
#endif
