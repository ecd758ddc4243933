/* What the kernels of matmul share. */
#ifndef STK_COMPUTE_CUDA_MATMUL_H
#define STK_COMPUTE_CUDA_MATMUL_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/matmul.h"

/* Operands of one type, and an activation that is known. */
bool                 stk_cuda_matmul_can(const stk_op_instance *instance);
stk_cuda_matmul_args stk_cuda_matmul_args_of(const stk_kernel_call *call);

#endif
