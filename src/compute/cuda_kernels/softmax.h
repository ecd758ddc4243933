/* softmax(x) and softmax_grad(dy, y), along rows. */
#ifndef STK_COMPUTE_CUDA_KERNELS_SOFTMAX_H
#define STK_COMPUTE_CUDA_KERNELS_SOFTMAX_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_softmax_args {
    int         dtype; /* an stk_dtype, of all three */
    int64_t     rows, width;
    const void *x;  /* gradient: y */
    const void *dy; /* NULL: computes the value */
    void       *out;
} stk_cuda_softmax_args;

cudaError_t stk_cuda_softmax_launch(const stk_cuda_softmax_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
