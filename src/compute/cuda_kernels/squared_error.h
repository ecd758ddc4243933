/* mean_squared_error(p, t) and its gradient by p. */
#ifndef STK_COMPUTE_CUDA_KERNELS_SQUARED_ERROR_H
#define STK_COMPUTE_CUDA_KERNELS_SQUARED_ERROR_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

enum { STK_CUDA_SQUARED_PARTIALS = 2048 }; /* most floats of scratch: one per block */

typedef struct stk_cuda_squared_args {
    int         dtype; /* an stk_dtype: of p, t and dp */
    int64_t     count;
    const void *p, *t;
} stk_cuda_squared_args;

cudaError_t stk_cuda_squared_error_launch(const stk_cuda_squared_args *args, float *partials,
                                          float *loss, cudaStream_t stream);
cudaError_t stk_cuda_squared_error_grad_launch(const stk_cuda_squared_args *args,
                                               const float *dloss, void *dp, cudaStream_t stream);

STK_CUDA_END
#endif
