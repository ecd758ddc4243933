/* Pooling arguments, shared with fused kernels. */
#ifndef STK_COMPUTE_CUDA_POOL_H
#define STK_COMPUTE_CUDA_POOL_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/pool.h"

/* For ops with the attributes of pooling. */
bool stk_cuda_pool_can(const stk_device *device, const stk_op_instance *instance);
/* All arguments but addresses. */
stk_cuda_pool_args stk_cuda_pool_of(const stk_op_instance *instance);

#endif
