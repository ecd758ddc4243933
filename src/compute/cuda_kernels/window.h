/* Windows along one axis of an image for kernels: compute/ops/window.h in 32 bits. */
#ifndef STK_COMPUTE_CUDA_KERNELS_WINDOW_H
#define STK_COMPUTE_CUDA_KERNELS_WINDOW_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_window {
    int size, kernel, stride, dilation, before, count;
} stk_cuda_window;

STK_CUDA_END
#endif
