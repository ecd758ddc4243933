/* Batch norm arguments, shared with kernels that fuse two of its ops. */
#ifndef STK_COMPUTE_CUDA_BN_H
#define STK_COMPUTE_CUDA_BN_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/bn_small.h"

/* Arguments of bn_stats_finalize, bn_apply, bn_grad_sums and bn_grad_apply calls, without rows. */
stk_cuda_bn_stats_args stk_cuda_bn_stats_of(const stk_kernel_call *call);
/* Arguments of bn_finalize for a call with its attributes. gamma is the index of the first vector
 * among the inputs, scale that among the outputs. Mean and variance are not set. */
stk_cuda_bn_vectors_args stk_cuda_bn_vectors_of(const stk_kernel_call *call, int gamma, int scale);
stk_cuda_bn_apply_args   stk_cuda_bn_apply_of(const stk_kernel_call *call);
stk_cuda_bn_grad_args    stk_cuda_bn_sums_of(const stk_kernel_call *call);
stk_cuda_bn_grad_args    stk_cuda_bn_grad_of(const stk_kernel_call *call);

#endif
