/* What the kernels of batch norm share with those that do two of its steps at once. */
#ifndef STK_BACKEND_CUDA_BN_H
#define STK_BACKEND_CUDA_BN_H

#include "backend/cuda/cuda.h"
#include "backend/cuda/own/bn_small.h"

/* What calls ask for, without rows: of bn_stats_finalize, bn_apply, bn_grad_sums and bn_grad_apply.
 */
stk_cuda_bn_stats_args stk_cuda_bn_stats_of(const stk_kernel_call *call);
stk_cuda_bn_apply_args stk_cuda_bn_apply_of(const stk_kernel_call *call);
stk_cuda_bn_grad_args  stk_cuda_bn_sums_of(const stk_kernel_call *call);
stk_cuda_bn_grad_args  stk_cuda_bn_grad_of(const stk_kernel_call *call);

#endif
