/* Sums over rows first, since dx may alias dy. Then dx row by row: with h = dy gamma it is invstd
 * (h - mean(h) - xhat mean(h xhat)). */
#include "compute/cuda_kernels/kept_row.cuh"
#include "compute/cuda_kernels/layer_norm.h"

namespace
{

enum { WITH_X, SUM, VALUES = STK_CUDA_LAYER_NORM_VALUES };

constexpr int SUM_THREADS = 512, SUM_ROWS = 4;

__device__ __noinline__ void finish(const stk_cuda_layer_norm_grad_args &a, float *shared)
{
    double  all[VALUES];
    int64_t channel = stk::sum_partials<VALUES>(a.partials, a.sum, shared, all);
    if (channel < 0) return;
    if (a.dgamma) a.dgamma[channel] = (float)all[WITH_X];
    if (a.dbeta) a.dbeta[channel] = (float)all[SUM];
}

template <typename T, int N>
__global__ void __launch_bounds__(SUM_THREADS)
    sums(const __grid_constant__ stk_cuda_layer_norm_grad_args a)
{
    STK_CUDA_DYNAMIC(float, shared);
    stk::iter w = stk::row_iter_of<true>(a.sum);
    int64_t   at = w.at, row = a.rows - 1 - ((int64_t)blockIdx.x * a.sum.down + w.down);
    float     v[VALUES][N] = {};
    for (int left = w.count; left > 0; left -= SUM_ROWS, at += SUM_ROWS * w.step) {
        stk::line<T, N> dy[SUM_ROWS], x[SUM_ROWS];
        stk::load_rows<T, N, SUM_ROWS>(a.dy, at, w.step, left, dy);
        stk::load_rows<T, N, SUM_ROWS>(a.x, at, w.step, left, x);
#pragma unroll
        for (int u = 0; u < SUM_ROWS; u++, row -= (int64_t)a.sum.blocks * a.sum.down) {
            float d[N], xs[N];
            if (u >= left) break;
            float mean = a.mean[row], by = a.invstd[row];
            stk::unpack(dy[u], d);
            stk::unpack(x[u], xs);
#pragma unroll
            for (int k = 0; k < N; k++) {
                v[WITH_X][k] = fmaf(d[k], (xs[k] - mean) * by, v[WITH_X][k]);
                v[SUM][k] += d[k];
            }
        }
    }
    stk::leave_sums<VALUES, N>(v, a.sum, a.partials, VALUES, 0, shared);
    if (stk::is_last_block(a.counters, a.sum.blocks)) finish(a, shared);
}

/* h and xhat of N elements. */
template <int N>
__device__ __forceinline__ void prepare(const stk_cuda_layer_norm_grad_args &a, int64_t at,
                                        float mean, float by, float (&h)[N], float (&x)[N])
{
    float gamma[N];
    stk::load_values<N>(a.gamma, at, gamma);
#pragma unroll
    for (int k = 0; k < N; k++) {
        h[k] *= gamma[k];
        x[k] = (x[k] - mean) * by;
    }
}

template <typename T, int N, int TEAM, int KEEP>
__device__ __forceinline__ void back_row(const stk_cuda_layer_norm_grad_args &a, int64_t at)
{
    stk::kept_row<T, N, TEAM, KEEP> dy, x;
    T                              *dx = (T *)a.dx + at * a.width;
    float sum = 0, with_x = 0, n = (float)a.width, mean = a.mean[at], by = a.invstd[at];
    float h[N], xhat[N];
    dy.begin((const T *)a.dy + at * a.width, a.width);
    x.begin((const T *)a.x + at * a.width, a.width);
#pragma unroll
    for (int64_t i = 0; i < x.lines(); i++)
        if (x.at(i) < a.width) {
            dy.get(i, h);
            x.get(i, xhat);
            prepare<N>(a, x.at(i), mean, by, h, xhat);
#pragma unroll
            for (int k = 0; k < N; k++) {
                sum += h[k];
                with_x = fmaf(h[k], xhat[k], with_x);
            }
        }
    sum = stk::team_reduce<TEAM>(sum, stk::adding()) / n;
    with_x = stk::team_reduce<TEAM>(with_x, stk::adding()) / n;
#pragma unroll
    for (int64_t i = 0; i < x.lines(); i++)
        if (x.at(i) < a.width) {
            dy.get(i, h);
            x.get(i, xhat);
            prepare<N>(a, x.at(i), mean, by, h, xhat);
#pragma unroll
            for (int k = 0; k < N; k++)
                h[k] = by * (h[k] - sum - xhat[k] * with_x);
            stk::store_line(h, dx + x.at(i));
        }
}

template <typename T, int N, int TEAM, int KEEP>
__global__ void __launch_bounds__(stk::ROW_THREADS)
    back(const __grid_constant__ stk_cuda_layer_norm_grad_args a)
{
    for (int64_t row = stk::first_row<TEAM>(); row < a.rows; row += stk::row_step<TEAM>())
        back_row<T, N, TEAM, KEEP>(a, row);
}

template <typename T>
cudaError_t start(const stk_cuda_layer_norm_grad_args *args, cudaStream_t stream)
{
    const stk_cuda_rows &r = args->sum;
    auto                *kernel = r.wide == 1 ? sums<T, 1> : sums<T, stk::WIDE<T>>;
    cudaError_t          code = cudaSuccess;
    if (args->dgamma || args->dbeta)
        code = STK_CUDA_LAUNCH(kernel, dim3((unsigned)r.blocks, (unsigned)r.tiles),
                               r.across * r.down, stk::bytes_to_sum(r, VALUES), stream, *args);
    if (code != cudaSuccess || !args->dx) return code;
    return STK_CUDA_KEPT(back, T, args->rows, args->width, stream, *args);
}

} // namespace

cudaError_t stk_cuda_layer_norm_grad_launch(const stk_cuda_layer_norm_grad_args *args,
                                            cudaStream_t                         stream)
{
    if (args->width == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
