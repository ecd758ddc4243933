/* dz, for both halves of batch norm's gradient. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_GRAD_CUH
#define STK_COMPUTE_CUDA_KERNELS_BN_GRAD_CUH

#include "compute/cuda_kernels/act_rows.cuh"
#include "compute/cuda_kernels/bn_grad.h"
#include "compute/cuda_kernels/channel_rows.cuh"

namespace stk
{

/* The mask as template argument. STK_CUDA_BN_MASKS: decided by the arguments. */
template <stk_cuda_bn_mask MASK>
__device__ __forceinline__ stk_cuda_bn_mask mask_of(const stk_cuda_bn_grad_args &a)
{
    return MASK == STK_CUDA_BN_MASKS ? a.mask : MASK;
}

/* Reads the tensors of dz down the rows. RELU: that is the activation. */
template <typename T, int N, stk_cuda_bn_mask MASK, bool CHEAP, bool RELU = false>
struct bn_grad_iter {
    float scale[N], shift[N];

    __device__ __forceinline__ void begin(const stk_cuda_bn_grad_args &a, const iter &w)
    {
        bool input = mask_of<MASK>(a) == STK_CUDA_BN_MASK_INPUT;
        load_channels<N>(input ? a.scale : nullptr, a.rows, w.channel, scale);
        load_channels<N>(input ? a.shift : nullptr, a.rows, w.channel, shift);
    }

    template <int U> struct rows {
        line<T, N> dy[U], x[U], y[U];
        uint32_t   bits[U];
    };

    /* Loads the next U rows from element at on; `left` of them exist. */
    template <int U>
    __device__ __forceinline__ void load(const stk_cuda_bn_grad_args &a, int64_t at, int64_t step,
                                         int left, rows<U> &to)
    {
        load_rows<T, N, U>(a.dy, at, step, left, to.dy);
        load_rows<T, N, U>(a.x, at, step, left, to.x);
        if (mask_of<MASK>(a) == STK_CUDA_BN_MASK_OUTPUT)
            load_rows<T, N, U>(a.y, at, step, left, to.y);
        if (mask_of<MASK>(a) != STK_CUDA_BN_MASK_BITS) return;
#pragma unroll
        for (int u = 0; u < U; u++, at += step)
            to.bits[u] = load_byte(a.bits + at / 8, u < left) >> (N == 8 ? 0 : at & 7);
    }

    /* x and dz of row u. */
    template <int U>
    __device__ __forceinline__ void unpack_row(const stk_cuda_bn_grad_args &a, const rows<U> &r,
                                               int u, float (&xs)[N], float (&dz)[N])
    {
        float               seen[N];
        stk_cuda_activation act = a.act;
        if (RELU) act.act = STK_CUDA_ACT_RELU;
        unpack(r.x[u], xs);
        unpack(r.dy[u], dz);
        if (mask_of<MASK>(a) == STK_CUDA_BN_MASK_NONE) return;
        if (mask_of<MASK>(a) == STK_CUDA_BN_MASK_BITS) {
#pragma unroll
            for (int k = 0; k < N; k++)
                dz[k] = r.bits[u] >> k & 1 ? dz[k] : 0;
            return;
        }
        if (mask_of<MASK>(a) == STK_CUDA_BN_MASK_OUTPUT) {
            unpack(r.y[u], seen);
        } else {
#pragma unroll
            for (int k = 0; k < N; k++)
                seen[k] = fmaf(xs[k], scale[k], shift[k]);
            seen_from_input<CHEAP, N>(seen, act);
        }
        times_slope<CHEAP, N>(dz, seen, act);
    }
};

/* dx = gamma invstd (dz - dbeta / M - xhat dgamma / M), as dz * a + x * b + c with three values per
 * channel. Folding the mean into c loses no more than the rounding of x: products are exact until
 * they are added. */
struct bn_grad_factor {
    float a, b, c;
};

__device__ __forceinline__ bn_grad_factor factor_of(float gamma, float invstd, float mean,
                                                    float with_x, float sum, float each)
{
    bn_grad_factor f;
    f.a = gamma * invstd;
    f.b = -f.a * invstd * (with_x * each);
    f.c = fmaf(-f.b, mean, -f.a * (sum * each));
    return f;
}

template <int N> struct bn_grad_factors {
    float a[N], b[N], c[N];

    __device__ __forceinline__ void load(const stk_cuda_bn_grad_args &g, int channel)
    {
        float mean[N], invstd[N], with_x[N], sum[N], each = 1 / (float)g.rows.rows;
        load_channels<N>(g.gamma, g.rows, channel, a);
        load_channels<N>(g.invstd, g.rows, channel, invstd);
        load_channels<N>(g.mean, g.rows, channel, mean);
        load_channels<N>(g.dgamma, g.rows, channel, with_x);
        load_channels<N>(g.dbeta, g.rows, channel, sum);
#pragma unroll
        for (int k = 0; k < N; k++) {
            bn_grad_factor f = factor_of(a[k], invstd[k], mean[k], with_x[k], sum[k], each);
            a[k] = f.a, b[k] = f.b, c[k] = f.c;
        }
    }

    /* Replaces x by dx. */
    __device__ __forceinline__ void apply(float (&x)[N], const float (&dz)[N]) const
    {
#pragma unroll
        for (int k = 0; k < N; k++)
            x[k] = fmaf(dz[k], a[k], fmaf(x[k], b[k], c[k]));
    }
};

} // namespace stk

#endif
