/* Sums over all rows of a few channels within a cluster, in a fixed order: lanes, warps, blocks. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_SMALL_CUH
#define STK_COMPUTE_CUDA_KERNELS_BN_SMALL_CUH

#include "compute/cuda_kernels/channel_rows.cuh"
#include "compute/cuda_kernels/cluster.cuh"

namespace stk
{

/* Shared memory of a block. Channels of the second thread across follow those of the first. */
struct few_space {
    static constexpr int N = 8, WIDTH = N * STK_CUDA_FEW_ACROSS;
    static constexpr int WARPS = STK_CUDA_FEW_THREADS / WARP;

    float   warps[WARPS][2 * WIDTH];
    float   middle[WIDTH];
    float   found[3][WIDTH];
    float4  partials[STK_CUDA_CLUSTER_MAX][WIDTH]; /* per block: two sums and a middle */
    meeting blocks;
};

/* row_iter_of for across 1 or 2. */
__device__ __forceinline__ iter row_iter_of_few(const stk_cuda_rows &r)
{
    iter w;
    w.across = (int)threadIdx.x & (r.across - 1);
    w.down = (int)threadIdx.x >> (r.across - 1);
    w.channel = ((int)blockIdx.y * r.across + w.across) * few_space::N;
    int row = (int)blockIdx.x * r.down + w.down;
    w.count = r.sweeps + (row < r.more);
    w.at = row * r.stride + w.channel;
    w.step = r.step;
    return w;
}

/* Each exchange between two lanes halves the number of values that both still add. Written as
 * recursion: a loop would not unroll, and v would leave the registers. */
template <int HALF, int COUNT>
__device__ __forceinline__ void add_lanes(float (&v)[COUNT], int lane)
{
    constexpr int BY = HALF * WARP / COUNT;
    bool          second = lane & BY;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
        float keep = second ? v[i + HALF] : v[i], other = second ? v[i] : v[i + HALF];
        v[i] = keep + __shfl_xor_sync(0xffffffffu, other, BY);
    }
    if constexpr (HALF > 1) add_lanes<HALF / 2>(v, lane);
}

/* Stores the sums of each warp. */
template <int COUNT>
__device__ __forceinline__ void leave_warp(float (&v)[COUNT], int across, few_space &s)
{
    constexpr int SAME = WARP / COUNT; /* lanes that hold the same value, of any column */
    int           lane = (int)threadIdx.x % WARP;
    add_lanes<COUNT / 2>(v, lane);
#pragma unroll
    for (int by = SAME / 2; by > 0; by /= 2)
        if (by >= across) v[0] += __shfl_xor_sync(0xffffffffu, v[0], by);
    if (lane % SAME < across)
        s.warps[threadIdx.x / WARP][(lane & (across - 1)) * COUNT + lane / SAME] = v[0];
}

__device__ __forceinline__ float sum_warps(const few_space &s, int at)
{
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < (int)blockDim.x / WARP; i++)
        sum += s.warps[i][at];
    return sum;
}

/* Call after leave_warp<2 * N>: distributes the sums of all blocks to all blocks, with their
 * middles. */
__device__ __forceinline__ void share_sums(few_space &s, int across)
{
    constexpr int N = few_space::N;
    __syncthreads();
    s.blocks.begun();
    for (int i = (int)threadIdx.x; i < N * across * (int)gridDim.x; i += (int)blockDim.x) {
        int c = i & (N * across - 1), to = i / N >> (across - 1), at = c / N * 2 * N + c % N;
        s.blocks.give({sum_warps(s, at), sum_warps(s, at + N), s.middle[c], 0},
                      &s.partials[blockIdx.x][c], to);
    }
    s.blocks.wait();
}

/* One access; otherwise the compiler splits it in four. */
template <typename T> __device__ __forceinline__ void store_whole(const float (&v)[8], T *to)
{
#ifdef __CUDACC__
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to),
                 "r"(word_of(v[0], v[1], T())), "r"(word_of(v[2], v[3], T())),
                 "r"(word_of(v[4], v[5], T())), "r"(word_of(v[6], v[7], T()))
                 : "memory");
#else
    store_line(v, to);
#endif
}

/* Prefetches to the cache, before waiting: the producer may still be running. */
__device__ __forceinline__ void expect(const float *values, int channel)
{
#ifdef __CUDACC__
    if (values) asm volatile("prefetch.global.L2 [%0];" ::"l"(values + channel));
#else
    (void)values, (void)channel;
#endif
}

template <typename ARGS>
cudaError_t launch_few(void (*kernel)(ARGS), const stk_cuda_rows &r, const ARGS &args,
                       cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;
#ifdef __CUDACC__
    if (r.blocks > STK_CUDA_CLUSTER)
        code = take_error(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
#endif
    if (code != cudaSuccess) return code;
    return STK_CUDA_LAUNCH_CLUSTER(kernel, (unsigned)r.blocks,
                                   dim3((unsigned)r.blocks, (unsigned)r.tiles), r.across * r.down,
                                   sizeof(few_space), stream, args);
}

} // namespace stk

#endif
