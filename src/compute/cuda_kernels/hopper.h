/* Availability of kernels for compute capability 9.0. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_H
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_H

#include "compute/cuda_kernels/abi.h"
#include <stdbool.h>

STK_CUDA_BEGIN

/* Whether the current GPU has compute capability 9.0 and this build contains code for it:
 * JIT-compiled code for other targets would do nothing. */
bool stk_cuda_hopper_here(void);

STK_CUDA_END
#endif
