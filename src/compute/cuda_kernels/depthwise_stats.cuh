/* Mean and variance of a depthwise convolution's result while it is in registers. Each thread sums
 * differences from its first value, which avoids cancellation; sums are converted to a common value
 * before they are added. */
#ifndef STK_COMPUTE_CUDA_KERNELS_DEPTHWISE_STATS_CUH
#define STK_COMPUTE_CUDA_KERNELS_DEPTHWISE_STATS_CUH

#include "compute/cuda_kernels/depthwise.cuh"

namespace stk
{

template <typename T, int V> struct dw_tally {
    float from[V] = {}, sum[V] = {}, squares[V] = {};
    int   count = 0;

    /* Adds columns of a row as they are written: those whose bits are set. */
    template <int COUNT>
    __device__ __forceinline__ void add(const float (&value)[COUNT][V], unsigned inside)
    {
        if (count == 0) dw_unpack<T, V>(dw_pack<T>(value[0]), from);
#pragma unroll
        for (int t = 0; t < COUNT; t++) {
            float x[V];
            dw_unpack<T, V>(dw_pack<T>(value[t]), x);
#pragma unroll
            for (int v = 0; v < V; v++) {
                float d = inside >> t & 1 ? x[v] - from[v] : 0;
                sum[v] += d;
                squares[v] = fmaf(d, d, squares[v]);
            }
        }
        count += __popc(inside);
    }

    /* Stores the block's partial, [STK_CUDA_DW_VALUES][channels]. ring has (3 V + 1) free words per
     * thread. All sums are converted to the first group's means. */
    __device__ __forceinline__ void leave(const dw_plan &p, const dw_lane &lane, float *ring,
                                          float *partials) const
    {
        int    threads = p.wide * p.groups, me = (int)threadIdx.x, channels = p.words * V;
        float *common = ring, *sums = ring + p.wide * V, n = (float)count;
        float  each = count ? 1 / n : 0;
        __syncthreads();
        if (lane.group == 0)
#pragma unroll
            for (int v = 0; v < V; v++)
                common[me * V + v] = from[v] + sum[v] * each;
        __syncthreads();
#pragma unroll
        for (int v = 0; v < V; v++) {
            float mean = sum[v] * each, centred = fmaxf(squares[v] - sum[v] * mean, 0);
            float off = count ? (from[v] - common[lane.word * V + v]) + mean : 0;
            sums[(2 * v) * threads + me] = n * off;
            sums[(2 * v + 1) * threads + me] = centred + n * off * off;
        }
        sums[2 * V * threads + me] = n;
        __syncthreads();
        if (lane.group != 0 || !lane.any) return;
        float *part =
            partials + (int64_t)(blockIdx.x / (unsigned)p.chunks) * STK_CUDA_DW_VALUES * channels;
        float all[2 * V + 1] = {};
#pragma unroll 1
        for (int group = 0; group < p.groups; group++)
#pragma unroll
            for (int i = 0; i <= 2 * V; i++)
                all[i] += sums[i * threads + group * p.wide + me];
#pragma unroll
        for (int v = 0; v < V; v++) {
            int c = (lane.first + lane.word) * V + v;
            part[STK_CUDA_DW_FROM * channels + c] = common[me * V + v];
            part[STK_CUDA_DW_SUM * channels + c] = all[2 * v];
            part[STK_CUDA_DW_SQUARES * channels + c] = all[2 * v + 1];
            part[STK_CUDA_DW_COUNT * channels + c] = all[2 * V];
        }
    }
};

} // namespace stk

#endif
