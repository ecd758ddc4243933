/* The elements of a window, and the windows of an element. */
#ifndef STK_COMPUTE_CUDA_KERNELS_WINDOW_CUH
#define STK_COMPUTE_CUDA_KERNELS_WINDOW_CUH

#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/window.h"

namespace stk
{

/* Element at tap of window, or -1 in the padding. */
__device__ __forceinline__ int window_element(const stk_cuda_window &w, int window, int tap)
{
    int at = window * w.stride - w.before + tap * w.dilation;
    return at >= 0 && at < w.size ? at : -1;
}

/* Window whose tap is at element, or -1 if there is none. */
__device__ __forceinline__ int window_over(const stk_cuda_window &w, int element, int tap)
{
    int at = element + w.before - tap * w.dilation, window = at / w.stride;
    return at >= 0 && window * w.stride == at && window < w.count ? window : -1;
}

} // namespace stk

#endif
