/* What kernels that pool share with those that pool and more. */
#ifndef STK_BACKEND_CUDA_POOL_H
#define STK_BACKEND_CUDA_POOL_H

#include "backend/cuda/cuda.h"
#include "backend/cuda/own/pool.h"

/* For ops whose attributes are those of pools. */
bool stk_cuda_pool_can(const stk_device *device, const stk_op_use *use);
/* Without addresses. */
stk_cuda_pool_args stk_cuda_pool_of(const stk_op_use *use);

#endif
