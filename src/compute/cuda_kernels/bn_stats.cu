/* One pass. Each thread sums differences from its first value, which avoids cancellation. Sums are
 * converted to a common value before they are added. */
#include "compute/cuda_kernels/bn_stats.h"
#include "compute/cuda_kernels/bn_vectors.cuh"
#include "compute/cuda_kernels/channel_rows.cuh"

namespace
{

enum { FROM, SUM, SQUARES, VALUES = STK_CUDA_BN_STATS_VALUES };

constexpr int THREADS = 512, ROWS = 8;

template <typename T, int N>
__device__ __forceinline__ void walk_down(const stk::iter &w, const void *x, float (&v)[VALUES][N])
{
    int64_t at = w.at;
    for (int left = w.count; left > 0; left -= ROWS, at += ROWS * w.step) {
        stk::line<T, N> row[ROWS];
        stk::load_rows<T, N, ROWS>(x, at, w.step, left, row);
        if (left == w.count) stk::unpack(row[0], v[FROM]);
#pragma unroll
        for (int u = 0; u < ROWS; u++) {
            float d[N];
            if (u >= left) break;
            stk::unpack(row[u], d);
#pragma unroll
            for (int k = 0; k < N; k++) {
                d[k] -= v[FROM][k];
                v[SUM][k] += d[k];
                v[SQUARES][k] = fmaf(d[k], d[k], v[SQUARES][k]);
            }
        }
    }
}

/* Converts sums of count differences from v[FROM] to differences from `to`. */
template <int N>
__device__ __forceinline__ void carry(float (&v)[VALUES][N], const float (&to)[N], int count)
{
    float n = (float)count, each = count ? 1 / n : 0;
#pragma unroll
    for (int k = 0; k < N; k++) {
        float mean = v[SUM][k] * each;
        float centred = v[SQUARES][k] - v[SUM][k] * mean;
        float off = count ? (v[FROM][k] - to[k]) + mean : 0;
        v[SUM][k] = n * off;
        v[SQUARES][k] = fmaxf(centred, 0) + v[SUM][k] * off;
        v[FROM][k] = to[k];
    }
}

/* All sums of the block are converted to the means of the topmost threads. */
template <int N>
__device__ __forceinline__ void leave_block(const stk_cuda_bn_stats_args &a, const stk::iter &w,
                                            float (&v)[VALUES][N], float *shared)
{
    float to[N], sums[2][N], each = w.count ? 1 / (float)w.count : 0;
    if (w.down == 0)
#pragma unroll
        for (int k = 0; k < N; k++)
            shared[w.across * N + k] = v[FROM][k] + v[SUM][k] * each;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; k++)
        to[k] = shared[w.across * N + k];
    __syncthreads();
    carry(v, to, w.count);
#pragma unroll
    for (int k = 0; k < N; k++)
        sums[0][k] = v[SUM][k], sums[1][k] = v[SQUARES][k];
    if (w.down == 0)
        stk::store_floats<float, N>(
            to, stk::partial_of(a.partials, a.rows, VALUES, (int)blockIdx.x, FROM) + w.across * N);
    stk::leave_sums<2, N>(sums, a.rows, a.partials, VALUES, SUM, shared);
}

/* Sums of all blocks are converted to the first block's value, in double. */
__device__ __noinline__ void sum_blocks(const stk_cuda_bn_stats_args &a, double *shared)
{
    const stk_cuda_rows &r = a.rows;
    int                  c = (int)threadIdx.x % (r.across * r.wide);
    double               sums[2] = {};
    double               to =
        (double)stk::load_partial(stk::partial_of(a.partials, r, VALUES, 0, FROM) + c, true);
    stk::for_partials<VALUES>(a.partials, r, [&](int block, const float(&v)[VALUES]) {
        double off = (double)v[FROM] - to, sum = (double)v[SUM];
        double n = (double)stk::rows_of_block(r, block);
        sums[0] += sum + n * off;
        sums[1] += (double)v[SQUARES] + off * (2 * sum + n * off);
    });
    int64_t channel = stk::sum_lanes<2>(sums, r, shared);
    if (channel < 0) return;
    double rows = (double)r.rows, mean = sums[0] / rows, var = (sums[1] - sums[0] * mean) / rows;
    float  found[2] = {(float)(to + mean), (float)(var < 0 ? 0 : var)};
    if (a.mean) a.mean[channel] = found[0];
    if (a.var) a.var[channel] = found[1];
    if (a.vectors.gamma) stk::make_vectors_of(a.vectors, channel, found[0], found[1]);
}

template <typename T, int N>
__global__ void __launch_bounds__(THREADS) stats(const __grid_constant__ stk_cuda_bn_stats_args a)
{
    STK_CUDA_DYNAMIC(float, shared);
    stk::iter w = stk::row_iter_of<true>(a.rows);
    float     v[VALUES][N] = {};
    stk::wait_for_earlier();
    walk_down<T, N>(w, a.x, v);
    leave_block<N>(a, w, v, shared);
    if (stk::is_last_block(a.counters, a.rows.blocks))
        sum_blocks(a, reinterpret_cast<double *>(shared));
}

template <typename T> cudaError_t start(const stk_cuda_bn_stats_args *args, cudaStream_t stream)
{
    const stk_cuda_rows &r = args->rows;
    auto                *kernel = r.wide == 1 ? stats<T, 1> : stats<T, stk::WIDE<T>>;
    return STK_CUDA_LAUNCH_EARLY(kernel, dim3((unsigned)r.blocks, (unsigned)r.tiles),
                                 r.across * r.down, stk::bytes_to_sum(r, 2), stream, *args);
}

} // namespace

cudaError_t stk_cuda_bn_stats_launch(const stk_cuda_bn_stats_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
