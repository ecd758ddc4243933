/* dgamma and dbeta in one pass over dy, x and the mask inputs. */
#include "compute/cuda_kernels/bn_grad.cuh"

namespace
{

enum { WITH_X, SUM, VALUES = STK_CUDA_BN_GRAD_VALUES };

constexpr int THREADS = 512;

/* Not inlined: it runs once, and would dominate compile time. */
__device__ __noinline__ void finish(const stk_cuda_bn_grad_args &a, float *shared)
{
    double  all[VALUES];
    int64_t channel = stk::sum_partials<VALUES>(a.partials, a.rows, shared, all);
    if (channel < 0) return;
    if (a.dgamma) a.dgamma[channel] = (float)(all[WITH_X] * (double)a.invstd[channel]);
    if (a.dbeta) a.dbeta[channel] = (float)all[SUM];
}

template <typename T, int N, int U, stk_cuda_bn_mask MASK, bool CHEAP>
__global__ void __launch_bounds__(THREADS) sums(const __grid_constant__ stk_cuda_bn_grad_args a)
{
    using grad = stk::bn_grad_iter<T, N, MASK, CHEAP>;
    STK_CUDA_DYNAMIC(float, shared);
    stk::iter w = stk::row_iter_of<true>(a.rows);
    float     v[VALUES][N] = {}, mean[N];
    grad      g;
    stk::wait_for_earlier();
    g.begin(a, w);
    stk::load_channels<N>(a.mean, a.rows, w.channel, mean);
    int64_t at = w.at;
    for (int left = w.count; left > 0; left -= U, at += U * w.step) {
        typename grad::template rows<U> rows;
        g.template load<U>(a, at, w.step, left, rows);
#pragma unroll
        for (int u = 0; u < U; u++) {
            float x[N], dz[N];
            if (u >= left) break;
            g.template unpack_row<U>(a, rows, u, x, dz);
#pragma unroll
            for (int k = 0; k < N; k++) {
                v[WITH_X][k] = fmaf(dz[k], x[k] - mean[k], v[WITH_X][k]);
                v[SUM][k] += dz[k];
            }
        }
    }
    stk::leave_sums<VALUES, N>(v, a.rows, a.partials, VALUES, 0, shared);
    if (stk::is_last_block(a.counters, a.rows.blocks)) finish(a, shared);
}

template <typename T, int N> auto *choose(const stk_cuda_bn_grad_args *a)
{
    if (!stk::act_is_cheap(a->act.act)) return sums<T, N, 1, STK_CUDA_BN_MASKS, false>;
    switch (a->mask) {
    case STK_CUDA_BN_MASK_NONE:
        return sums<T, N, 4, STK_CUDA_BN_MASK_NONE, true>;
    case STK_CUDA_BN_MASK_OUTPUT:
        return sums<T, N, 4, STK_CUDA_BN_MASK_OUTPUT, true>;
    case STK_CUDA_BN_MASK_INPUT:
        return sums<T, N, 4, STK_CUDA_BN_MASK_INPUT, true>;
    default:
        return sums<T, N, 4, STK_CUDA_BN_MASK_BITS, true>;
    }
}

template <typename T> cudaError_t start(const stk_cuda_bn_grad_args *args, cudaStream_t stream)
{
    const stk_cuda_rows &r = args->rows;
    auto                *kernel =
        r.wide == 1 ? sums<T, 1, 1, STK_CUDA_BN_MASKS, false> : choose<T, stk::WIDE<T>>(args);
    return STK_CUDA_LAUNCH_EARLY(kernel, dim3((unsigned)r.blocks, (unsigned)r.tiles),
                                 r.across * r.down, stk::bytes_to_sum(r, VALUES), stream, *args);
}

} // namespace

cudaError_t stk_cuda_bn_grad_sums_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream)
{
    if (args->rows.stride == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
