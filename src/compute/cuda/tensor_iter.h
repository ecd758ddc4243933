/* Making walks (cuda_kernels/tensor_iter.h) of shapes. */
#ifndef STK_COMPUTE_CUDA_TENSOR_ITER_H
#define STK_COMPUTE_CUDA_TENSOR_ITER_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/tensor_iter.h"

/* Row-major steps of a shape, as step of a walk. */
void stk_cuda_tensor_iter_strides(const stk_shape *shape, int64_t step[STK_CUDA_ITER_RANK]);
/* Dimensions that follow each other in all tensors become one, those of one element go; at least
 * one stays. */
void stk_cuda_tensor_iter_join(stk_cuda_tensor_iter *iter);
/* Whether every row of the last dimension is pieces of `count` elements, each aligned to its size
 * in every tensor, or repeated there. */
bool stk_cuda_tensor_iter_split(const stk_cuda_tensor_iter *iter, int64_t count);
/* For copies from src to dst: elements that stay together become wider ones of up to 16 bytes.
 * Returns their width. */
size_t  stk_cuda_tensor_iter_widen(stk_cuda_tensor_iter *iter, size_t width, const void *src,
                                   const void *dst);
int64_t stk_cuda_tensor_iter_count(const stk_cuda_tensor_iter *iter);

#endif
