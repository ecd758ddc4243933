/* Activations as kernels take them. */
#ifndef STK_COMPUTE_CUDA_ACT_H
#define STK_COMPUTE_CUDA_ACT_H

#include "compute/cuda_kernels/abi.h"
#include "compute/ops/activation.h"

/* False for an activation unknown to the kernels. */
bool stk_cuda_act_of(const stk_activation *from, stk_cuda_activation *to);

#endif
