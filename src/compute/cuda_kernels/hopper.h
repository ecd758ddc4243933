/* Whether kernels of Hopper's own instructions are here. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_H
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_H

#include "compute/cuda_kernels/abi.h"
#include <stdbool.h>

STK_CUDA_BEGIN

/* That the GPU in use has compute capability 9.0, and that this was built for it: what a driver
 * makes of kernels for others would do nothing. */
bool stk_cuda_hopper_here(void);

STK_CUDA_END
#endif
