/* Computes dx row by row. */
#include "compute/cuda_kernels/bn_grad.cuh"

namespace
{

constexpr int THREADS = 256, BLOCKS = 3; /* per multiprocessor, to keep enough bytes in flight */

template <typename T, int N, int U, stk_cuda_bn_mask MASK, bool CHEAP>
__global__ void __launch_bounds__(THREADS, CHEAP ? BLOCKS : 1)
    grad_apply(const __grid_constant__ stk_cuda_bn_grad_args a)
{
    using grad = stk::bn_grad_iter<T, N, MASK, CHEAP>;
    stk::iter               w = stk::row_iter_of<false>(a.rows);
    int64_t                 at = w.at;
    grad                    g;
    stk::bn_grad_factors<N> f;
    stk::wait_for_earlier();
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
            f.apply(x, dz);
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
    return STK_CUDA_LAUNCH_EARLY(kernel, dim3((unsigned)r.blocks, (unsigned)r.tiles),
                                 r.across * r.down, 0, stream, *args);
}

} // namespace

cudaError_t stk_cuda_bn_grad_apply_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream)
{
    if (args->rows.rows == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
