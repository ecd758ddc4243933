/* What the kernels of batch norm share with those that do two of its steps at once. */
#ifndef STK_COMPUTE_CUDA_BN_H
#define STK_COMPUTE_CUDA_BN_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/bn_small.h"

/* What calls ask for, without rows: of bn_stats_finalize, bn_apply, bn_grad_sums and bn_grad_apply.
 */
stk_cuda_bn_stats_args stk_cuda_bn_stats_of(const stk_kernel_call *call);
/* What bn_finalize makes, of a call whose attributes are its own: gamma is the first of its vectors
 * among the inputs, scale among the outputs. Mean and variance are left out. */
stk_cuda_bn_vectors_args stk_cuda_bn_vectors_of(const stk_kernel_call *call, int gamma, int scale);
stk_cuda_bn_apply_args   stk_cuda_bn_apply_of(const stk_kernel_call *call);
stk_cuda_bn_grad_args    stk_cuda_bn_sums_of(const stk_kernel_call *call);
stk_cuda_bn_grad_args    stk_cuda_bn_grad_of(const stk_kernel_call *call);

#endif
