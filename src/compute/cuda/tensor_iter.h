/* Builds tensor iterators (cuda_kernels/tensor_iter.h) from shapes. */
#ifndef STK_COMPUTE_CUDA_TENSOR_ITER_H
#define STK_COMPUTE_CUDA_TENSOR_ITER_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/tensor_iter.h"

/* Row-major strides of a shape. */
void stk_cuda_tensor_iter_strides(const stk_shape *shape, int64_t step[STK_CUDA_ITER_RANK]);
/* Merges dimensions that are contiguous in all tensors and drops those of size one; keeps at least
 * one. */
void stk_cuda_tensor_iter_join(stk_cuda_tensor_iter *iter);
/* Whether rows of the last dimension divide into pieces of `count` elements, aligned to their size
 * or repeated in every tensor. */
bool stk_cuda_tensor_iter_split(const stk_cuda_tensor_iter *iter, int64_t count);
/* For copies: merges contiguous elements to wider ones of up to 16 bytes. Returns their width. */
size_t  stk_cuda_tensor_iter_widen(stk_cuda_tensor_iter *iter, size_t width, const void *src,
                                   const void *dst);
int64_t stk_cuda_tensor_iter_count(const stk_cuda_tensor_iter *iter);

#endif
