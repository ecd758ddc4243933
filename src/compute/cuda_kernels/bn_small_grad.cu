/* As bn_small.cu: rows stay in registers between sums and dx. */
#include "compute/cuda_kernels/bn_grad.cuh"
#include "compute/cuda_kernels/bn_small.cuh"
#include "compute/cuda_kernels/bn_small.h"

namespace
{

constexpr int N = stk::few_space::N, ROWS = STK_CUDA_FEW_ROWS, THREADS = STK_CUDA_FEW_THREADS;

template <typename ITER>
__device__ __forceinline__ void leave_grad(const stk_cuda_bn_grad_args &a, const stk::iter &w,
                                           ITER &g, const typename ITER::template rows<ROWS> &rows,
                                           const float (&mean)[N], stk::few_space            &s)
{
    float v[2 * N] = {}, x[N], dz[N];
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
    stk::leave_warp<2 * N>(v, a.rows.across, s);
}

/* One thread per channel of a cluster. */
struct grad_finder {
    bool  is;
    int   c, channel;
    float gamma, invstd, mean;

    __device__ __forceinline__ void begin(const stk_cuda_bn_grad_args &a)
    {
        c = (int)threadIdx.x;
        is = c < N * a.rows.across;
        channel = (int)blockIdx.y * a.rows.across * N + c;
    }

    __device__ __forceinline__ void load(const stk_cuda_bn_grad_args &a)
    {
        gamma = invstd = mean = 0;
        if (!is) return;
        if (a.gamma) gamma = a.gamma[channel];
        invstd = a.invstd[channel];
        mean = a.mean[channel];
    }

    __device__ __forceinline__ void find(const stk_cuda_bn_grad_args &a, stk::few_space &s) const
    {
        if (is) {
            float with_x = 0, dbeta = 0;
#pragma unroll 4
            for (int b = 0; b < a.rows.blocks; b++)
                with_x += s.partials[b][c].x, dbeta += s.partials[b][c].y;
            float dgamma = with_x * invstd;
            if (blockIdx.x == 0 && a.dgamma) a.dgamma[channel] = dgamma;
            if (blockIdx.x == 0 && a.dbeta) a.dbeta[channel] = dbeta;
            stk::bn_grad_factor f =
                stk::factor_of(gamma, invstd, mean, dgamma, dbeta, 1 / (float)a.rows.rows);
            s.found[0][c] = f.a, s.found[1][c] = f.b, s.found[2][c] = f.c;
        }
        __syncthreads();
    }
};

template <typename T, typename ITER>
__device__ __forceinline__ void apply_grad(const stk_cuda_bn_grad_args &a, const stk::iter &w,
                                           ITER &g, const typename ITER::template rows<ROWS> &rows,
                                           const stk::few_space &s)
{
    stk::bn_grad_factors<N> f;
    int64_t                 at = w.at;
    float                   x[N], dz[N];
    stk::load_values<N>(s.found[0], w.across * N, f.a);
    stk::load_values<N>(s.found[1], w.across * N, f.b);
    stk::load_values<N>(s.found[2], w.across * N, f.c);
#pragma unroll
    for (int u = 0; u < ROWS; u++, at += w.step) {
        if (u >= w.count) break;
        g.template unpack_row<ROWS>(a, rows, u, x, dz);
        f.apply(x, dz);
        stk::store_whole(x, (T *)a.dx + at);
        if (a.dz) stk::store_whole(dz, (T *)a.dz + at);
    }
}

__device__ __forceinline__ void expect_vectors(const stk_cuda_bn_grad_args &a, int channel)
{
    stk::expect(a.gamma, channel);
    stk::expect(a.mean, channel);
    stk::expect(a.invstd, channel);
    stk::expect(a.scale, channel);
    stk::expect(a.shift, channel);
}

template <typename T, typename ITER>
__global__ void __launch_bounds__(THREADS) grad(const __grid_constant__ stk_cuda_bn_grad_args a)
{
    STK_CUDA_DYNAMIC(stk::few_space, space);
    typename ITER::template rows<ROWS> rows;
    stk::iter                          w = stk::row_iter_of_few(a.rows);
    float                              mean[N];
    ITER                               g;
    grad_finder                        f;
    f.begin(a);
    if (w.down == 0) expect_vectors(a, w.channel);
    space->blocks.begin(a.rows.blocks * a.rows.across * N * (int)sizeof(float4));
    stk::wait_for_earlier();
    g.template load<ROWS>(a, w.at, w.step, w.count, rows);
    stk::load_values<N>(a.mean, w.channel, mean);
    if (a.scale) stk::load_values<N>(a.scale, w.channel, g.scale);
    if (a.shift) stk::load_values<N>(a.shift, w.channel, g.shift);
    f.load(a);
    leave_grad(a, w, g, rows, mean, *space);
    stk::share_sums(*space, a.rows.across);
    f.find(a, *space);
    if (a.dx) apply_grad<T>(a, w, g, rows, *space);
}

template <typename T> auto *choose(const stk_cuda_bn_grad_args *a)
{
    using stk::bn_grad_iter;
    switch (a->mask) {
    case STK_CUDA_BN_MASK_NONE:
        return grad<T, bn_grad_iter<T, N, STK_CUDA_BN_MASK_NONE, true>>;
    case STK_CUDA_BN_MASK_BITS:
        return grad<T, bn_grad_iter<T, N, STK_CUDA_BN_MASK_BITS, true>>;
    case STK_CUDA_BN_MASK_INPUT:
        if (a->act.act == STK_CUDA_ACT_RELU)
            return grad<T, bn_grad_iter<T, N, STK_CUDA_BN_MASK_INPUT, true, true>>;
        break;
    default:
        break;
    }
    return grad<T, bn_grad_iter<T, N, STK_CUDA_BN_MASKS, true>>;
}

#ifdef __CUDACC__
/* Partitioned GPUs (MIG) may not fit large clusters, or their shared memory. This kernel needs the
 * most. */
int find_blocks()
{
    auto kernel = grad<__half, stk::bn_grad_iter<__half, N, STK_CUDA_BN_MASKS, true>>;
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t  config = {};
    int                 there = 0;
    if (!stk::made_for_90((const void *)kernel)) return 1;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {STK_CUDA_CLUSTER_MAX, 1, 1};
    config.gridDim = {STK_CUDA_CLUSTER_MAX, 1, 1};
    config.blockDim = {THREADS, 1, 1};
    config.dynamicSmemBytes = sizeof(stk::few_space);
    config.attrs = &cluster;
    config.numAttrs = 1;
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ==
            cudaSuccess &&
        cudaOccupancyMaxActiveClusters(&there, kernel, &config) == cudaSuccess && there > 0)
        return STK_CUDA_CLUSTER_MAX;
    (void)cudaGetLastError();
    return STK_CUDA_CLUSTER;
}
#else
int find_blocks()
{
    return STK_CUDA_CLUSTER_MAX;
}
#endif

} // namespace

int stk_cuda_bn_small_blocks(void)
{
    static const int blocks = find_blocks();
    return blocks;
}

cudaError_t stk_cuda_bn_grad_small_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream)
{
    auto *kernel =
        args->dtype == STK_DTYPE_F16 ? choose<__half>(args) : choose<__nv_bfloat16>(args);
    return stk::launch_few(kernel, args->rows, *args, stream);
}
