/* An op's activation, as the kernels know it. */
#ifndef STK_COMPUTE_CUDA_ACT_H
#define STK_COMPUTE_CUDA_ACT_H

#include "compute/cuda_kernels/abi.h"
#include "compute/ops/activation.h"

/* False for one that the kernels do not know. */
bool stk_cuda_act_of(const stk_activation *from, stk_cuda_activation *to);

#endif
