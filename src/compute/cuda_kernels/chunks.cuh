/* Multi-tensor launches: maps blocks to tensors; block sums. */
#ifndef STK_COMPUTE_CUDA_KERNELS_CHUNKS_CUH
#define STK_COMPUTE_CUDA_KERNELS_CHUNKS_CUH

#include "compute/cuda_kernels/launch.cuh"

namespace stk
{

/* The tensor of a chunk: the last that starts at or before it. Empty tensors are skipped. */
__device__ __forceinline__ int tensor_of(const int *first, int tensors, int chunk)
{
    int low = 0, high = tensors;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (first[middle] <= chunk)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Sum over a block of THREADS, in thread 0, in a fixed order. */
template <int THREADS> __device__ __forceinline__ double block_sum(double x)
{
    __shared__ double warps[THREADS / WARP];
#pragma unroll
    for (int d = WARP / 2; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    __syncthreads(); /* the previous sum has been read */
    if (threadIdx.x % WARP == 0) warps[threadIdx.x / WARP] = x;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < THREADS / WARP; i++)
        sum += warps[i];
    return sum;
}

} // namespace stk

#endif
