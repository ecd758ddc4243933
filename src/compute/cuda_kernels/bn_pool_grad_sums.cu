/* dgamma and dbeta in one pass over dy and y. The x of a maximum is recovered from y: x - mean = (y
 * - centre) / scale, with centre = mean * scale + shift. If that would amplify the rounding of y, x
 * is read at its index. */
#include "compute/cuda_kernels/bn_pool.h"
#include "compute/cuda_kernels/channel_rows.cuh"

namespace
{

using stk::WIDE;

enum { WITH_X, SUM, VALUES = STK_CUDA_BN_GRAD_VALUES };

constexpr int THREADS = 512, ROWS = 4;

/* In units of gamma = scale / invstd: the largest distance of centre from zero. And the smallest
 * gamma, below which y would be denormal in float16. */
constexpr float CENTRE_MAX = 4, GAMMA_MIN = 1.0f / 256;

__device__ __forceinline__ bool is_lost(float scale, float centre, float invstd)
{
    return fabsf(scale) < GAMMA_MIN * invstd || fabsf(centre) * invstd > CENTRE_MAX * fabsf(scale);
}

/* x at the index of element at of y. */
template <typename T>
__device__ __forceinline__ float x_of(const stk_cuda_bn_pool_grad_args &a, int64_t at)
{
    const stk_cuda_pool_args &p = a.pool;
    int64_t                   window = at / p.channels, line = window / p.across.count;
    int64_t                   n = line / p.down.count;
    int                       tap = p.from[at];
    int64_t row = (line - n * p.down.count) * p.down.stride - p.down.before + tap / p.across.kernel;
    int64_t column = (window - line * p.across.count) * p.across.stride - p.across.before +
                     tap % p.across.kernel;
    int64_t from = ((n * p.down.size + row) * p.across.size + column) * p.channels;
    return stk::to_float(((const T *)a.bn.x)[from + at % p.channels]);
}

/* Sum of dz (x - mean) of a channel, from element at on. */
template <typename T>
__device__ __noinline__ float sum_looked_up(const stk_cuda_bn_pool_grad_args &a, int64_t at,
                                            int64_t step, int count)
{
    float mean = a.bn.mean[at % a.pool.channels], sum = 0;
    for (int i = 0; i < count; i++, at += step) {
        if (!(stk::to_float(((const T *)a.bn.y)[at]) > 0)) continue;
        sum = fmaf(stk::to_float(((const T *)a.pool.src)[at]), x_of<T>(a, at) - mean, sum);
    }
    return sum;
}

__device__ __noinline__ void finish(const stk_cuda_bn_grad_args &a, float *shared)
{
    double  all[VALUES];
    int64_t c = stk::sum_partials<VALUES>(a.partials, a.rows, shared, all);
    if (c < 0) return;
    float  centre = fmaf(a.mean[c], a.scale[c], a.shift[c]);
    double by = is_lost(a.scale[c], centre, a.invstd[c]) ? 1 : 1 / (double)a.scale[c];
    a.dgamma[c] = (float)(all[WITH_X] * by * (double)a.invstd[c]);
    a.dbeta[c] = (float)all[SUM];
}

/* A thread's channels: their centres, and a bit for those that read x. */
template <int N> struct centres {
    float    at[N];
    unsigned lost = 0;

    __device__ __forceinline__ void load(const stk_cuda_bn_grad_args &a, int channel)
    {
        float mean[N], invstd[N], scale[N];
        stk::load_channels(a.mean, a.rows, channel, mean);
        stk::load_channels(a.invstd, a.rows, channel, invstd);
        stk::load_channels(a.scale, a.rows, channel, scale);
        stk::load_channels(a.shift, a.rows, channel, at);
#pragma unroll
        for (int k = 0; k < N; k++) {
            at[k] = fmaf(mean[k], scale[k], at[k]);
            if (is_lost(scale[k], at[k], invstd[k])) lost |= 1u << k;
        }
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS)
    grad_sums(const __grid_constant__ stk_cuda_bn_pool_grad_args a)
{
    constexpr int N = WIDE<T>;
    STK_CUDA_DYNAMIC(float, shared);
    const stk_cuda_rows &r = a.bn.rows;
    stk::iter            w = stk::row_iter_of<true>(r);
    int64_t              at = w.at;
    float                v[VALUES][N] = {};
    centres<N>           centre;
    stk::wait_for_earlier();
    centre.load(a.bn, w.channel);
    for (int left = w.count; left > 0; left -= ROWS, at += ROWS * w.step) {
        stk::line<T, N> dys[ROWS], ys[ROWS];
        stk::load_rows<T, N, ROWS>(a.pool.src, at, w.step, left, dys);
        stk::load_rows<T, N, ROWS>(a.bn.y, at, w.step, left, ys);
#pragma unroll
        for (int u = 0; u < ROWS; u++) {
            float dz[N], y[N];
            if (u >= left) break;
            stk::unpack(dys[u], dz);
            stk::unpack(ys[u], y);
#pragma unroll
            for (int k = 0; k < N; k++) {
                dz[k] = y[k] > 0 ? dz[k] : 0;
                v[WITH_X][k] = fmaf(dz[k], y[k] - centre.at[k], v[WITH_X][k]);
                v[SUM][k] += dz[k];
            }
        }
    }
    if (w.count > 0 && centre.lost) {
#pragma unroll
        for (int k = 0; k < N; k++)
            if (centre.lost >> k & 1) v[WITH_X][k] = sum_looked_up<T>(a, w.at + k, w.step, w.count);
    }
    stk::leave_sums<VALUES, N>(v, r, a.bn.partials, VALUES, 0, shared);
    if (stk::is_last_block(a.bn.counters, r.blocks)) finish(a.bn, shared);
}

template <typename T> cudaError_t start(const stk_cuda_bn_pool_grad_args *args, cudaStream_t stream)
{
    const stk_cuda_rows &r = args->bn.rows;
    auto                *kernel = grad_sums<T>;
    return STK_CUDA_LAUNCH_EARLY(kernel, dim3((unsigned)r.blocks, (unsigned)r.tiles),
                                 r.across * r.down, stk::bytes_to_sum(r, VALUES), stream, *args);
}

} // namespace

cudaError_t stk_cuda_bn_pool_grad_sums_launch(const stk_cuda_bn_pool_grad_args *args,
                                              cudaStream_t                      stream)
{
    if (args->pool.channels == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->pool.dtype, start, args, stream);
}
