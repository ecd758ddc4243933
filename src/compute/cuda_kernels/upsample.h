/* Nearest and bilinear upsampling, and the gradient. */
#ifndef STK_COMPUTE_CUDA_KERNELS_UPSAMPLE_H
#define STK_COMPUTE_CUDA_KERNELS_UPSAMPLE_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_upsample_args {
    int         dtype; /* an stk_dtype */
    int64_t     batch, channels;
    int         height, width; /* of the small image */
    int         factor, linear;
    const void *src;
    void       *dst;
} stk_cuda_upsample_args;

cudaError_t stk_cuda_upsample_launch(const stk_cuda_upsample_args *args, cudaStream_t stream);
cudaError_t stk_cuda_upsample_grad_launch(const stk_cuda_upsample_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
