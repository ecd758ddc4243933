/* A thread keeps its rows in registers: memory is read once. What other kernels compute from the
 * same statistics has the same bits, so that it does not matter whether they are in one launch. */
#include "backend/cuda/own/bn_apply.cuh"
#include "backend/cuda/own/bn_grad.cuh"
#include "backend/cuda/own/bn_small.h"
#include "backend/cuda/own/bn_vectors.cuh"

namespace
{

constexpr int N = 8, ROWS = STK_CUDA_FEW_ROWS, THREADS = STK_CUDA_FEW_THREADS;

/* The sums over the block, in an order that is fixed. With each exchange between two lanes both are
 * left with half of the values to add. */
template <int COUNT> __device__ __forceinline__ const float *block_sum(float (&v)[COUNT])
{
    constexpr int    LANES = stk::WARP / COUNT; /* that have the same value in the end */
    __shared__ float warps[THREADS / stk::WARP][COUNT], total[COUNT];
    int              lane = (int)threadIdx.x % stk::WARP, d = stk::WARP / 2;
#pragma unroll
    for (int half = COUNT / 2; half > 0; half /= 2, d /= 2)
#pragma unroll
        for (int i = 0; i < half; i++) {
            float keep = lane & d ? v[i + half] : v[i], give = lane & d ? v[i] : v[i + half];
            v[i] = keep + __shfl_xor_sync(0xffffffffu, give, d);
        }
#pragma unroll
    for (int by = LANES / 2; by > 0; by /= 2)
        v[0] += __shfl_xor_sync(0xffffffffu, v[0], by);
    if (lane % LANES == 0) warps[threadIdx.x / stk::WARP][lane / LANES] = v[0];
    __syncthreads();
    if (threadIdx.x < COUNT) {
        float sum = warps[0][threadIdx.x];
        for (int i = 1; i < (int)blockDim.x / stk::WARP; i++)
            sum += warps[i][threadIdx.x];
        total[threadIdx.x] = sum;
    }
    __syncthreads();
    return total;
}

/* Twice over what is in registers: the mean first, then differences from it, whose own mean takes
 * away what the first has lost to rounding. */
template <typename T>
__device__ __forceinline__ void find_scaling(const stk_cuda_bn_stats_args &a, const stk::walk &w,
                                             const stk::line<T, N> (&row)[ROWS],
                                             float (&scaling)[2][N])
{
    float sum[N] = {}, sums[2 * N] = {}, x[N], each = 1 / (float)a.rows.rows;
#pragma unroll
    for (int u = 0; u < ROWS; u++) {
        if (u >= w.count) break;
        stk::unpack(row[u], x);
#pragma unroll
        for (int k = 0; k < N; k++)
            sum[k] += x[k];
    }
    const float *first = block_sum<N>(sum);
#pragma unroll
    for (int u = 0; u < ROWS; u++) {
        if (u >= w.count) break;
        stk::unpack(row[u], x);
#pragma unroll
        for (int k = 0; k < N; k++) {
            float d = x[k] - first[k] * each;
            sums[k] += d;
            sums[N + k] = fmaf(d, d, sums[N + k]);
        }
    }
    const float *second = block_sum<2 * N>(sums);
    if (threadIdx.x < N) {
        int    k = (int)threadIdx.x, c = w.channel + k;
        double n = (double)a.rows.rows, off = (double)second[k] / n;
        double var = ((double)second[N + k] - (double)second[k] * off) / n;
        float  mean = (float)((double)(first[k] * each) + off);
        if (a.mean) a.mean[c] = mean;
        float2 by = stk::make_scaling(a.vectors, c, mean, (float)(var < 0 ? 0 : var));
        scaling[0][k] = by.x, scaling[1][k] = by.y;
    }
    __syncthreads();
}

template <typename T>
__device__ __forceinline__ void apply(const stk_cuda_bn_apply_args &a, const stk_cuda_rows &r,
                                      const stk::walk &w, const stk::line<T, N> (&row)[ROWS],
                                      const stk::line<T, N> (&more)[ROWS],
                                      const float (&scaling)[2][N])
{
    float   shift[N], by[N], plus[N];
    int64_t at = w.at;
    stk::load_channels<N>(a.residual_scale, r, w.channel, by);
    stk::load_channels<N>(a.residual_shift, r, w.channel, plus);
#pragma unroll
    for (int k = 0; k < N; k++)
        shift[k] = scaling[1][k] + plus[k];
#pragma unroll
    for (int u = 0; u < ROWS; u++, at += w.step) {
        float v[N], residual[N];
        if (u >= w.count) break;
        stk::unpack(row[u], v);
        stk::unpack(more[u], residual);
        stk::scale_and_add<N>(v, scaling[0], shift, a.residual, a.residual_scale, residual, by);
        stk::activate<true, N>(v, a.act);
        stk::store_line(v, (T *)a.y + at);
        if (a.bits) a.bits[at / 8] = stk::byte_of(v, a.act);
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS) norm(const __grid_constant__ stk_cuda_bn_small_args a)
{
    __shared__ float scaling[2][N];
    stk::walk        w = stk::walk_of<false>(a.stats.rows);
    stk::line<T, N>  row[ROWS], more[ROWS] = {};
    stk::wait_for_earlier();
    stk::load_rows<T, N, ROWS>(a.stats.x, w.at, w.step, w.count, row);
    if (a.apply.y && a.apply.residual)
        stk::load_rows<T, N, ROWS>(a.apply.residual, w.at, w.step, w.count, more);
    find_scaling<T>(a.stats, w, row, scaling);
    if (a.apply.y) apply<T>(a.apply, a.stats.rows, w, row, more, scaling);
}

template <typename T>
__global__ void __launch_bounds__(THREADS) grad(const __grid_constant__ stk_cuda_bn_grad_args a)
{
    using walks = stk::bn_grad_walk<T, N, STK_CUDA_BN_MASKS, true>;
    typename walks::template rows<ROWS> rows;
    stk::walk                           w = stk::walk_of<false>(a.rows);
    int64_t                             at = w.at;
    float                               v[2 * N] = {}, mean[N], x[N], dz[N];
    walks                               g;
    stk::wait_for_earlier();
    g.begin(a, w);
    stk::load_channels<N>(a.mean, a.rows, w.channel, mean);
    g.template load<ROWS>(a, at, w.step, w.count, rows);
#pragma unroll
    for (int u = 0; u < ROWS; u++) {
        if (u >= w.count) break;
        g.template unpack_row<ROWS>(a, rows, u, x, dz);
#pragma unroll
        for (int k = 0; k < N; k++) {
            v[k] = fmaf(dz[k], x[k] - mean[k], v[k]);
            v[N + k] += dz[k];
        }
    }
    const float *sums = block_sum<2 * N>(v);
    if (threadIdx.x < N) {
        int k = (int)threadIdx.x, c = w.channel + k;
        if (a.dgamma) a.dgamma[c] = (float)((double)sums[k] * (double)a.invstd[c]);
        if (a.dbeta) a.dbeta[c] = sums[N + k];
    }
    __syncthreads();
    if (!a.dx) return;
    stk::bn_grad_factors<N> f;
    f.load(a, w.channel);
#pragma unroll
    for (int u = 0; u < ROWS; u++, at += w.step) {
        if (u >= w.count) break;
        g.template unpack_row<ROWS>(a, rows, u, x, dz);
        f.apply(x, dz);
        stk::store_line(x, (T *)a.dx + at);
        if (a.dz) stk::store_line(dz, (T *)a.dz + at);
    }
}

template <typename T> cudaError_t start(const stk_cuda_bn_small_args *args, cudaStream_t stream)
{
    const stk_cuda_rows &r = args->stats.rows;
    auto                *kernel = norm<T>;
    return STK_CUDA_LAUNCH_EARLY(kernel, dim3(1, (unsigned)r.tiles), r.down, 0, stream, *args);
}

template <typename T> cudaError_t start_grad(const stk_cuda_bn_grad_args *args, cudaStream_t stream)
{
    auto *kernel = grad<T>;
    return STK_CUDA_LAUNCH_EARLY(kernel, dim3(1, (unsigned)args->rows.tiles), args->rows.down, 0,
                                 stream, *args);
}

} // namespace

cudaError_t stk_cuda_bn_small_launch(const stk_cuda_bn_small_args *args, cudaStream_t stream)
{
    return args->stats.dtype == STK_DTYPE_F16 ? start<__half>(args, stream)
                                              : start<__nv_bfloat16>(args, stream);
}

cudaError_t stk_cuda_bn_grad_small_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream)
{
    return args->dtype == STK_DTYPE_F16 ? start_grad<__half>(args, stream)
                                        : start_grad<__nv_bfloat16>(args, stream);
}
