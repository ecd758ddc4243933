/* max_pool of 3x3 windows with stride 2, channels a multiple of 16 bytes: after the stem of many
 * models. */
#ifndef STK_COMPUTE_CUDA_KERNELS_MAX_POOL_3X3_H
#define STK_COMPUTE_CUDA_KERNELS_MAX_POOL_3X3_H

#include "compute/cuda_kernels/pool.h"

STK_CUDA_BEGIN

int         stk_cuda_max_pool_3x3_can(const stk_cuda_pool_args *args);
cudaError_t stk_cuda_max_pool_3x3_launch(const stk_cuda_pool_args *args, cudaStream_t stream);
cudaError_t stk_cuda_max_pool_3x3_grad_launch(const stk_cuda_pool_args *args, cudaStream_t stream);
/* bn_pool: y = relu(max(x * scale + shift)). */
cudaError_t stk_cuda_bn_pool_launch(const stk_cuda_pool_args *args, const float *scale,
                                    const float *shift, cudaStream_t stream);

STK_CUDA_END
#endif
