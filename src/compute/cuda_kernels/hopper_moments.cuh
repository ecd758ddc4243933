/* Mean and variance of channels in a warp group that holds 64 of them with adjacent results: a
 * thread has results of two channels, 8 apart. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_MOMENTS_CUH
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_MOMENTS_CUH

#include "compute/cuda_kernels/depthwise.h"
#include "compute/cuda_kernels/launch.cuh"

namespace hopper
{

struct moments {
    static constexpr int CHANNELS = 64, GROUP = 128;

    float from[2], sum[2], squares[2]; /* sums of differences from the first result */
    int   count;

    static __device__ __forceinline__ int channel()
    {
        int thread = (int)threadIdx.x % GROUP;
        return thread / stk::WARP * 16 + thread % stk::WARP / 4;
    }

    /* counts(i): whether d[i] is valid; d[0] and d[2] must be. of: number of valid results per
     * channel. */
    template <int N, typename F>
    __device__ __forceinline__ void add(const float (&d)[N], int of, F counts)
    {
        if (count == 0)
            for (int c = 0; c < 2; c++)
                from[c] = __shfl_sync(0xffffffffu, d[2 * c], (int)threadIdx.x % stk::WARP & ~3);
#pragma unroll
        for (int i = 0; i < N; i++) {
            int   c = i / 2 % 2;
            float off = counts(i) ? d[i] - from[c] : 0;
            sum[c] += off;
            squares[c] = fmaf(off, off, squares[c]);
        }
        count += of;
    }

    /* In the layout of depthwise.h. */
    __device__ __forceinline__ void leave(float *partials, int part)
    {
        for (int c = 0; c < 2; c++) {
            float *to =
                partials + (int64_t)part * STK_CUDA_DW_VALUES * CHANNELS + channel() + 8 * c;
            for (int d = 1; d < 4; d *= 2) {
                sum[c] += __shfl_xor_sync(0xffffffffu, sum[c], d);
                squares[c] += __shfl_xor_sync(0xffffffffu, squares[c], d);
            }
            if (threadIdx.x % 4) continue;
            to[STK_CUDA_DW_FROM * CHANNELS] = from[c];
            to[STK_CUDA_DW_SUM * CHANNELS] = sum[c];
            to[STK_CUDA_DW_SQUARES * CHANNELS] = squares[c];
            to[STK_CUDA_DW_COUNT * CHANNELS] = (float)count;
        }
    }
};

} // namespace hopper

#endif
