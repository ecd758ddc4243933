/* activation(x) and activation_grad(dy, seen), elementwise. */
#ifndef STK_COMPUTE_CUDA_KERNELS_ACTIVATION_H
#define STK_COMPUTE_CUDA_KERNELS_ACTIVATION_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_activation_args {
    stk_cuda_activation act;
    int                 dtype; /* an stk_dtype, of all tensors */
    int64_t             count;
    const void         *x;  /* gradient: the argument of the slope */
    const void         *dy; /* NULL: computes the value */
    void               *out;
} stk_cuda_activation_args;

cudaError_t stk_cuda_activation_launch(const stk_cuda_activation_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
