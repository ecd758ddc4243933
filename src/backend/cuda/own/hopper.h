/* Whether kernels of Hopper's own instructions are here. */
#ifndef STK_BACKEND_CUDA_OWN_HOPPER_H
#define STK_BACKEND_CUDA_OWN_HOPPER_H

#include "backend/cuda/own/border.h"
#include <stdbool.h>

STK_CUDA_BEGIN

/* That the GPU in use has compute capability 9.0, and that this was built for it: what a driver
 * makes of kernels for others would do nothing. */
bool stk_cuda_hopper_here(void);

STK_CUDA_END
#endif
