/* A thread keeps its rows in registers, so memory is read once. Separate kernels compute the same
 * bits from the same statistics. All loads are issued first, since their latency dominates. */
#include "compute/cuda_kernels/bn_apply.cuh"
#include "compute/cuda_kernels/bn_small.cuh"
#include "compute/cuda_kernels/bn_small.h"
#include "compute/cuda_kernels/bn_vectors.cuh"

namespace
{

constexpr int N = stk::few_space::N, ROWS = STK_CUDA_FEW_ROWS, THREADS = STK_CUDA_FEW_THREADS;

/* Sums differences from the block's mean, then converts them to the first block's mean. The mean of
 * the differences corrects for rounding. */
template <typename T>
__device__ __forceinline__ void leave_block(const stk_cuda_rows &r, const stk::iter            &w,
                                            const stk::line<T, N> (&row)[ROWS], stk::few_space &s)
{
    float sum[N] = {}, sums[2 * N] = {}, x[N];
#pragma unroll
    for (int u = 0; u < ROWS; u++) {
        if (u >= w.count) break;
        stk::unpack(row[u], x);
#pragma unroll
        for (int k = 0; k < N; k++)
            sum[k] += x[k];
    }
    stk::leave_warp<N>(sum, r.across, s);
    __syncthreads();
    if ((int)threadIdx.x < N * r.across)
        s.middle[threadIdx.x] =
            __fdividef(stk::sum_warps(s, (int)threadIdx.x),
                       (float)max((int)stk::rows_of_block(r, (int)blockIdx.x), 1));
    __syncthreads();
#pragma unroll
    for (int u = 0; u < ROWS; u++) {
        if (u >= w.count) break;
        stk::unpack(row[u], x);
#pragma unroll
        for (int k = 0; k < N; k++) {
            float d = x[k] - s.middle[w.across * N + k];
            sums[k] += d;
            sums[N + k] = fmaf(d, d, sums[N + k]);
        }
    }
    stk::leave_warp<2 * N>(sums, r.across, s);
}

/* Mean and variance of channel c over the cluster. */
__device__ __forceinline__ float2 mean_of_blocks(const stk_cuda_rows &r, double each,
                                                 const stk::few_space &s, int c)
{
    float to = s.partials[0][c].z, sum = 0, squares = 0;
#pragma unroll 4
    for (int b = 0; b < r.blocks; b++) {
        float4 of = s.partials[b][c];
        float  n = (float)(int)stk::rows_of_block(r, b), off = of.z - to;
        sum += fmaf(n, off, of.x);
        squares += fmaf(off, fmaf(n, off, 2 * of.x), of.y);
    }
    double mean = (double)sum * each, var = ((double)squares - (double)sum * mean) * each;
    return {(float)((double)to + mean), (float)(var < 0 ? 0 : var)};
}

/* ADDED: there may be a residual. RELU: that is the activation. Unused code costs time too, since
 * instruction caches start cold. */
template <typename T, bool ADDED, bool RELU>
__device__ __forceinline__ void apply(const stk_cuda_bn_apply_args &a, const stk::iter &w,
                                      const stk::line<T, N> (&row)[ROWS],
                                      const stk::line<T, N> (&more)[ROWS], const stk::few_space &s)
{
    stk_cuda_activation act = a.act;
    float               scale[N], shift[N], by[N];
    int64_t             at = w.at;
    if (RELU) act.act = STK_CUDA_ACT_RELU;
    stk::load_values<N>(s.found[0], w.across * N, scale);
    stk::load_values<N>(s.found[1], w.across * N, shift);
    stk::load_values<N>(s.found[2], w.across * N, by);
#pragma unroll
    for (int u = 0; u < ROWS; u++, at += w.step) {
        float v[N], residual[N] = {};
        if (u >= w.count) break;
        stk::unpack(row[u], v);
        if (ADDED) stk::unpack(more[u], residual);
        stk::scale_and_add<N>(v, scale, shift, ADDED && a.residual, a.residual_scale, residual, by);
        stk::activate<true, N>(v, act);
        stk::store_whole(v, (T *)a.y + at);
        if (a.bits) a.bits[at / 8] = stk::byte_of(v, act);
    }
}

/* One thread per channel of a cluster. */
struct finder {
    bool            is;
    int             c, channel;
    stk::bn_channel before;
    float           by, plus; /* scale and shift of the residual */

    __device__ __forceinline__ void begin(const stk_cuda_rows &r, int first)
    {
        c = (int)threadIdx.x;
        is = c < N * r.across;
        channel = first + c;
    }

    __device__ __forceinline__ void load(const stk_cuda_bn_small_args &a)
    {
        before = {}, by = plus = 0;
        if (!is) return;
        before.load(a.stats.vectors, channel);
        if (a.apply.residual_scale) by = a.apply.residual_scale[channel];
        if (a.apply.residual_shift) plus = a.apply.residual_shift[channel];
    }

    __device__ __forceinline__ void find(const stk_cuda_bn_stats_args &a, double each,
                                         stk::few_space &s) const
    {
        if (is) {
            bool   keep = blockIdx.x == 0;
            float2 of = mean_of_blocks(a.rows, each, s, c);
            if (keep && a.mean) a.mean[channel] = of.x;
            float2 found = stk::make_scaling(a.vectors, channel, before, of.x, of.y, keep);
            s.found[0][c] = found.x, s.found[1][c] = found.y + plus, s.found[2][c] = by;
        }
        __syncthreads();
    }
};

__device__ __forceinline__ void expect_vectors(const stk_cuda_bn_small_args &a, int channel)
{
    const stk_cuda_bn_vectors_args &v = a.stats.vectors;
    stk::expect(v.gamma, channel);
    stk::expect(v.beta, channel);
    stk::expect(v.running_mean, channel);
    stk::expect(v.running_var, channel);
    stk::expect(a.apply.residual_scale, channel);
    stk::expect(a.apply.residual_shift, channel);
}

template <typename T, bool ADDED, bool RELU>
__global__ void __launch_bounds__(THREADS) norm(const __grid_constant__ stk_cuda_bn_small_args a)
{
    STK_CUDA_DYNAMIC(stk::few_space, space);
    const stk_cuda_rows &r = a.stats.rows;
    stk::iter            w = stk::row_iter_of_few(r);
    stk::line<T, N>      row[ROWS], more[ROWS] = {};
    finder               f;
    f.begin(r, (int)blockIdx.y * r.across * N);
    if (w.down == 0) expect_vectors(a, w.channel);
    space->blocks.begin(r.blocks * r.across * N * (int)sizeof(float4));
    stk::wait_for_earlier();
    stk::load_rows<T, N, ROWS>(a.stats.x, w.at, w.step, w.count, row);
    if (ADDED && a.apply.residual)
        stk::load_rows<T, N, ROWS>(a.apply.residual, w.at, w.step, w.count, more);
    f.load(a);
    leave_block<T>(r, w, row, *space);
    stk::share_sums(*space, r.across);
    f.find(a.stats, a.each, *space);
    if (a.apply.y) apply<T, ADDED, RELU>(a.apply, w, row, more, *space);
}

template <typename T> auto *choose(const stk_cuda_bn_apply_args &a)
{
    if (a.act.act != STK_CUDA_ACT_RELU) return norm<T, true, false>;
    return a.residual ? norm<T, true, true> : norm<T, false, true>;
}

} // namespace

cudaError_t stk_cuda_bn_small_launch(const stk_cuda_bn_small_args *args, cudaStream_t stream)
{
    auto *kernel = args->stats.dtype == STK_DTYPE_F16 ? choose<__half>(args->apply)
                                                      : choose<__nv_bfloat16>(args->apply);
    return stk::launch_few(kernel, args->stats.rows, *args, stream);
}
