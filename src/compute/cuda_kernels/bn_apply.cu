/* A few rows per thread in flight; more would only cost registers. */
#include "compute/cuda_kernels/bn_apply.cuh"

namespace
{

constexpr int THREADS = 256;

/* ANY_RESIDUAL: decided by the arguments. */
enum residual_kind { NO_RESIDUAL, RESIDUAL, SCALED_RESIDUAL, ANY_RESIDUAL };

template <typename T, int N, int U, residual_kind KIND, bool CHEAP>
__global__ void __launch_bounds__(THREADS) apply(const __grid_constant__ stk_cuda_bn_apply_args a)
{
    const bool any = KIND == ANY_RESIDUAL;
    const bool added = any ? a.residual != nullptr : KIND != NO_RESIDUAL;
    const bool scaled = any ? a.residual_scale != nullptr : KIND == SCALED_RESIDUAL;
    stk::iter  w = stk::row_iter_of<false>(a.rows);
    int64_t    at = w.at;
    float      scale[N], shift[N], by[N], plus[N];
    stk::wait_for_earlier();
    if (w.count == 0) return;
    stk::load_channels<N>(a.scale, a.rows, w.channel, scale);
    stk::load_channels<N>(a.shift, a.rows, w.channel, shift);
    stk::load_channels<N>(scaled ? a.residual_scale : nullptr, a.rows, w.channel, by);
    stk::load_channels<N>(scaled ? a.residual_shift : nullptr, a.rows, w.channel, plus);
#pragma unroll
    for (int k = 0; k < N; k++)
        shift[k] += plus[k], scale[k] = a.scale ? scale[k] : 1;
    for (int left = w.count; left > 0; left -= U) {
        stk::line<T, N> row[U], more[U] = {};
        stk::load_rows<T, N, U>(a.x, at, w.step, left, row);
        if (added) stk::load_rows<T, N, U>(a.residual, at, w.step, left, more);
#pragma unroll
        for (int u = 0; u < U; u++, at += w.step) {
            float v[N], r[N] = {};
            if (u >= left) break;
            stk::unpack(row[u], v);
            if (added) stk::unpack(more[u], r);
            stk::scale_and_add<N>(v, scale, shift, added, scaled, r, by);
            stk::activate<CHEAP, N>(v, a.act);
            stk::store_line(v, (T *)a.y + at);
            if constexpr (N == 8 && CHEAP)
                if (a.bits) a.bits[at / 8] = stk::byte_of(v, a.act);
        }
    }
}

/* Bits of eight elements that may span two consecutive rows. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    apply_bytes(const __grid_constant__ stk_cuda_bn_apply_args a)
{
    int64_t  count = a.rows.rows * a.rows.stride, step = (int64_t)gridDim.x * THREADS;
    const T *x = (const T *)a.x, *residual = (const T *)a.residual;
    stk::wait_for_earlier();
    for (int64_t b = (int64_t)blockIdx.x * THREADS + threadIdx.x; b < (count + 7) / 8; b += step) {
        unsigned byte = 0;
        for (int64_t i = 8 * b; i < 8 * b + 8 && i < count; i++) {
            int64_t c = i % a.rows.stride;
            float   plus = residual ? stk::to_float(residual[i]) : 0, v[1];
            float   shift = a.shift[c] + (a.residual_shift ? a.residual_shift[c] : 0);
            v[0] = fmaf(stk::to_float(x[i]), a.scale[c], shift);
            v[0] = a.residual_scale ? fmaf(plus, a.residual_scale[c], v[0]) : v[0] + plus;
            stk::activate<true, 1>(v, a.act);
            stk::from_float(v[0], ((T *)a.y)[i]);
            byte |= stk::passes(v[0], a.act) ? 1u << i % 8 : 0;
        }
        a.bits[b] = (uint8_t)byte;
    }
}

template <typename T, int N> auto *choose(const stk_cuda_bn_apply_args *a)
{
    if (!stk::act_is_cheap(a->act.act)) return apply<T, N, 1, ANY_RESIDUAL, false>;
    return !a->residual         ? apply<T, N, 4, NO_RESIDUAL, true>
           : !a->residual_scale ? apply<T, N, 2, RESIDUAL, true>
                                : apply<T, N, 2, SCALED_RESIDUAL, true>;
}

template <typename T> cudaError_t start(const stk_cuda_bn_apply_args *args, cudaStream_t stream)
{
    const stk_cuda_rows &r = args->rows;
    auto                *kernel =
        r.wide == 1 ? apply<T, 1, 1, ANY_RESIDUAL, false> : choose<T, stk::WIDE<T>>(args);
    auto *bytes = apply_bytes<T>;
    if (args->bits && r.wide == 1)
        return STK_CUDA_LAUNCH_EARLY(bytes, stk::blocks_for(r.rows * r.stride, 8 * THREADS),
                                     THREADS, 0, stream, *args);
    if constexpr (stk::WIDE<T> < 8)
        if (r.wide == 8) kernel = apply<T, 8, 1, ANY_RESIDUAL, true>;
    return STK_CUDA_LAUNCH_EARLY(kernel, dim3((unsigned)r.blocks, (unsigned)r.tiles),
                                 r.across * r.down, 0, stream, *args);
}

} // namespace

cudaError_t stk_cuda_bn_apply_launch(const stk_cuda_bn_apply_args *args, cudaStream_t stream)
{
    if (args->rows.rows == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
