/* Max and average pooling with gradients. */
#ifndef STK_COMPUTE_CUDA_KERNELS_POOL_H
#define STK_COMPUTE_CUDA_KERNELS_POOL_H

#include "compute/cuda_kernels/window.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_pool_args {
    int             dtype; /* an stk_dtype, of x, y and their gradients */
    int64_t         batch, channels;
    stk_cuda_window down, across;
    int             count_pad; /* average: padding counts as zeros */
    const void     *src;       /* x, or dy */
    const uint8_t  *from;      /* max_pool_grad: the indices */
    void           *dst;       /* y, or dx */
    uint8_t        *indices;   /* max_pool: may be NULL */
} stk_cuda_pool_args;

cudaError_t stk_cuda_max_pool_launch(const stk_cuda_pool_args *args, cudaStream_t stream);
cudaError_t stk_cuda_max_pool_grad_launch(const stk_cuda_pool_args *args, cudaStream_t stream);
cudaError_t stk_cuda_average_pool_launch(const stk_cuda_pool_args *args, cudaStream_t stream);
cudaError_t stk_cuda_average_pool_grad_launch(const stk_cuda_pool_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
