/* Many tensors in one launch: which tensor a block works on, and sums over a block. */
#ifndef STK_COMPUTE_CUDA_KERNELS_CHUNKS_CUH
#define STK_COMPUTE_CUDA_KERNELS_CHUNKS_CUH

#include "compute/cuda_kernels/launch.cuh"

namespace stk
{

/* The tensor that has chunk: the last that begins at it or before. Empty ones are passed over. */
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

/* The sum over a block of THREADS, in thread 0, in a fixed order. */
template <int THREADS> __device__ __forceinline__ double block_sum(double x)
{
    __shared__ double warps[THREADS / WARP];
#pragma unroll
    for (int d = WARP / 2; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    __syncthreads(); /* whoever still reads the last sum */
    if (threadIdx.x % WARP == 0) warps[threadIdx.x / WARP] = x;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < THREADS / WARP; i++)
        sum += warps[i];
    return sum;
}

} // namespace stk

#endif
