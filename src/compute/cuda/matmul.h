/* Shared by the kernels of matmul. */
#ifndef STK_COMPUTE_CUDA_MATMUL_H
#define STK_COMPUTE_CUDA_MATMUL_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/matmul.h"

/* Whether operands have one type and the activation is known. */
bool                 stk_cuda_matmul_can(const stk_op_instance *instance);
stk_cuda_matmul_args stk_cuda_matmul_args_of(const stk_kernel_call *call);

#endif
