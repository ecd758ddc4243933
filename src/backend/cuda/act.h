/* An op's activation, as the kernels know it. */
#ifndef STK_BACKEND_CUDA_ACT_H
#define STK_BACKEND_CUDA_ACT_H

#include "backend/cuda/own/border.h"
#include "ops/activation.h"

/* False for one that the kernels do not know. */
bool stk_cuda_act_of(const stk_activation *from, stk_cuda_activation *to);

#endif
