/* bn_apply on the values of a thread. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_APPLY_CUH
#define STK_COMPUTE_CUDA_KERNELS_BN_APPLY_CUH

#include "compute/cuda_kernels/act_rows.cuh"
#include "compute/cuda_kernels/bn_apply.h"
#include "compute/cuda_kernels/channel_rows.cuh"

namespace stk
{

__device__ __forceinline__ bool passes(float y, const stk_cuda_activation &act)
{
    return act.act == STK_CUDA_ACT_RELU ? y > 0 : y > act.a && y < act.b;
}

/* relu has its own path: a choice per element would load the operands of clip. */
__device__ __forceinline__ uint8_t byte_of(const float (&y)[8], const stk_cuda_activation &act)
{
    unsigned byte = 0;
    if (act.act == STK_CUDA_ACT_RELU) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            byte |= y[k] > 0 ? 1u << k : 0;
        return (uint8_t)byte;
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        byte |= passes(y[k], act) ? 1u << k : 0;
    return (uint8_t)byte;
}

template <int N>
__device__ __forceinline__ void scale_and_add(float (&v)[N], const float (&scale)[N],
                                              const float (&shift)[N], bool added, bool scaled,
                                              const float (&residual)[N], const float (&by)[N])
{
#pragma unroll
    for (int k = 0; k < N; k++) {
        v[k] = fmaf(v[k], scale[k], shift[k]);
        if (added) v[k] = scaled ? fmaf(residual[k], by[k], v[k]) : v[k] + residual[k];
    }
}

} // namespace stk

#endif
