/* Fused gradient of batch norm, relu and 3x3 max_pool with stride 2. The pool's gradient is never
 * stored. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_POOL_H
#define STK_COMPUTE_CUDA_KERNELS_BN_POOL_H

#include "compute/cuda_kernels/bn_grad.h"
#include "compute/cuda_kernels/max_pool_3x3.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_bn_pool_grad_args {
    stk_cuda_pool_args pool; /* src is dy, from the indices */
    stk_cuda_bn_grad_args
        bn; /* dy and bits are unused; rows are those of y, or of x and dx; dx may alias x */
} stk_cuda_bn_pool_grad_args;

cudaError_t stk_cuda_bn_pool_grad_sums_launch(const stk_cuda_bn_pool_grad_args *args,
                                              cudaStream_t                      stream);
cudaError_t stk_cuda_bn_pool_grad_apply_launch(const stk_cuda_bn_pool_grad_args *args,
                                               cudaStream_t                      stream);

STK_CUDA_END
#endif
