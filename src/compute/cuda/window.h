/* Windows as kernels take them. */
#ifndef STK_COMPUTE_CUDA_WINDOW_H
#define STK_COMPUTE_CUDA_WINDOW_H

#include "compute/cuda_kernels/window.h"
#include "compute/ops/window.h"
#include <stdbool.h>

enum { STK_CUDA_SIDE_MAX = 1 << 29 }; /* of images, padding and reach: sums of a few fit an int */

static inline bool stk_cuda_window_fits(const stk_kernel_window *w)
{
    return w->size <= STK_CUDA_SIDE_MAX && w->before <= STK_CUDA_SIDE_MAX &&
           w->count <= STK_CUDA_SIDE_MAX / w->stride &&
           w->kernel <= STK_CUDA_SIDE_MAX / w->dilation;
}

static inline stk_cuda_window stk_cuda_window_of(const stk_kernel_window *w)
{
    return (stk_cuda_window){(int)w->size,     (int)w->kernel, (int)w->stride,
                             (int)w->dilation, (int)w->before, (int)w->count};
}

#endif
