/* The gradient of batch norm, relu and max_pool by 3x3 windows two apart in one: what comes out of
 * the pool's gradient is never written. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_POOL_H
#define STK_COMPUTE_CUDA_KERNELS_BN_POOL_H

#include "compute/cuda_kernels/bn_grad.h"
#include "compute/cuda_kernels/max_pool_3x3.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_bn_pool_grad_args {
    stk_cuda_pool_args    pool; /* src is dy, from the places */
    stk_cuda_bn_grad_args bn;   /* dy and bits are not looked at; rows of y, or of x and dx; dx
                                   may be x */
} stk_cuda_bn_pool_grad_args;

cudaError_t stk_cuda_bn_pool_grad_sums_launch(const stk_cuda_bn_pool_grad_args *args,
                                              cudaStream_t                      stream);
cudaError_t stk_cuda_bn_pool_grad_apply_launch(const stk_cuda_bn_pool_grad_args *args,
                                               cudaStream_t                      stream);

STK_CUDA_END
#endif
