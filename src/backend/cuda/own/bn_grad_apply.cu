/* dx = gamma invstd (dz - dbeta / M - xhat dgamma / M), as dz * a + x * b + c with three values per
 * channel. The mean in c takes no more from the result than the rounding of x has taken: the
 * products are exact until they are added. */
#include "backend/cuda/own/bn_grad.cuh"

namespace
{

constexpr int THREADS = 256, BLOCKS = 3; /* per multiprocessor, or too little is on its way */

template <int N> struct factors {
    float a[N], b[N], c[N];

    __device__ __forceinline__ void load(const stk_cuda_bn_grad_args &g, int channel)
    {
        float mean[N], invstd[N], with_x[N], sum[N], each = 1 / (float)g.rows.rows;
        stk::load_channels<N>(g.gamma, g.rows, channel, a);
        stk::load_channels<N>(g.invstd, g.rows, channel, invstd);
        stk::load_channels<N>(g.mean, g.rows, channel, mean);
        stk::load_channels<N>(g.dgamma, g.rows, channel, with_x);
        stk::load_channels<N>(g.dbeta, g.rows, channel, sum);
#pragma unroll
        for (int k = 0; k < N; k++) {
            a[k] *= invstd[k];
            b[k] = -a[k] * invstd[k] * (with_x[k] * each);
            c[k] = fmaf(-b[k], mean[k], -a[k] * (sum[k] * each));
        }
    }
};

template <typename T, int N, int U, stk_cuda_bn_mask MASK, bool CHEAP>
__global__ void __launch_bounds__(THREADS, CHEAP ? BLOCKS : 1)
    grad_apply(const __grid_constant__ stk_cuda_bn_grad_args a)
{
    using grad = stk::bn_grad_walk<T, N, MASK, CHEAP>;
    stk::walk  w = stk::walk_of<false>(a.rows);
    int64_t    at = w.at;
    grad       g;
    factors<N> f;
    if (w.count == 0) return;
    g.begin(a, w);
    f.load(a, w.channel);
    for (int left = w.count; left > 0; left -= U) {
        typename grad::template rows<U> rows;
        g.template load<U>(a, at, w.step, left, rows);
#pragma unroll
        for (int u = 0; u < U; u++, at += w.step) {
            float x[N], dz[N];
            if (u >= left) break;
            g.template unpack_row<U>(a, rows, u, x, dz);
#pragma unroll
            for (int k = 0; k < N; k++)
                x[k] = fmaf(dz[k], f.a[k], fmaf(x[k], f.b[k], f.c[k]));
            stk::store_line(x, (T *)a.dx + at);
            if (a.dz) stk::store_line(dz, (T *)a.dz + at);
        }
    }
}

template <typename T, int N> auto *choose(const stk_cuda_bn_grad_args *a)
{
    if (!stk::act_is_cheap(a->act.act)) return grad_apply<T, N, 1, STK_CUDA_BN_MASKS, false>;
    switch (a->mask) {
    case STK_CUDA_BN_MASK_NONE:
        return grad_apply<T, N, 2, STK_CUDA_BN_MASK_NONE, true>;
    case STK_CUDA_BN_MASK_OUTPUT:
        return grad_apply<T, N, 2, STK_CUDA_BN_MASK_OUTPUT, true>;
    case STK_CUDA_BN_MASK_INPUT:
        return grad_apply<T, N, 2, STK_CUDA_BN_MASK_INPUT, true>;
    default:
        return grad_apply<T, N, 2, STK_CUDA_BN_MASK_BITS, true>;
    }
}

template <typename T> cudaError_t start(const stk_cuda_bn_grad_args *args, cudaStream_t stream)
{
    const stk_cuda_rows &r = args->rows;
    auto                *kernel =
        r.wide == 1 ? grad_apply<T, 1, 1, STK_CUDA_BN_MASKS, false> : choose<T, stk::WIDE<T>>(args);
    return STK_CUDA_LAUNCH(kernel, dim3((unsigned)r.blocks, (unsigned)r.tiles), r.across * r.down,
                           0, stream, *args);
}

} // namespace

cudaError_t stk_cuda_bn_grad_apply_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream)
{
    if (args->rows.rows == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
