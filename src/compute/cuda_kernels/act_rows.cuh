/* Activations chosen at launch instead of compile time, once per N values. CHEAP kernels support
 * none, relu, clip and leaky_relu only, which hardly need registers. */
#ifndef STK_COMPUTE_CUDA_KERNELS_ACT_ROWS_CUH
#define STK_COMPUTE_CUDA_KERNELS_ACT_ROWS_CUH

#include "compute/cuda_kernels/act.cuh"

namespace stk
{

inline bool act_is_cheap(stk_cuda_act act)
{
    return act == STK_CUDA_ACT_NONE || act == STK_CUDA_ACT_RELU || act == STK_CUDA_ACT_CLIP ||
           act == STK_CUDA_ACT_LEAKY_RELU;
}

template <stk_cuda_act ACT, int N>
__device__ __forceinline__ void each_value(float (&v)[N], const stk_cuda_activation &act)
{
#pragma unroll
    for (int k = 0; k < N; k++)
        v[k] = act_value<ACT>(v[k], act.a, act.b);
}

template <stk_cuda_act ACT, int N>
__device__ __forceinline__ void each_slope(float (&dz)[N], const float (&seen)[N],
                                           const stk_cuda_activation &act)
{
#pragma unroll
    for (int k = 0; k < N; k++)
        dz[k] *= act_slope<ACT>(seen[k], act.a, act.b);
}

#define STK_CUDA_ACT_CASE(f, ACT, ...)                                                             \
    case STK_CUDA_ACT_##ACT:                                                                       \
        f<STK_CUDA_ACT_##ACT, N>(__VA_ARGS__);                                                     \
        break
#define STK_CUDA_ACT_CASES(f, ...)                                                                 \
    switch (act.act) {                                                                             \
        STK_CUDA_ACT_CASE(f, RELU, __VA_ARGS__);                                                   \
        STK_CUDA_ACT_CASE(f, CLIP, __VA_ARGS__);                                                   \
        STK_CUDA_ACT_CASE(f, LEAKY_RELU, __VA_ARGS__);                                             \
    default:                                                                                       \
        break;                                                                                     \
    }                                                                                              \
    if (CHEAP) return;                                                                             \
    switch (act.act) {                                                                             \
        STK_CUDA_ACT_CASE(f, GELU, __VA_ARGS__);                                                   \
        STK_CUDA_ACT_CASE(f, SILU, __VA_ARGS__);                                                   \
        STK_CUDA_ACT_CASE(f, SIGMOID, __VA_ARGS__);                                                \
        STK_CUDA_ACT_CASE(f, TANH, __VA_ARGS__);                                                   \
        STK_CUDA_ACT_CASE(f, HARDSWISH, __VA_ARGS__);                                              \
        STK_CUDA_ACT_CASE(f, HARDSIGMOID, __VA_ARGS__);                                            \
    default:                                                                                       \
        break;                                                                                     \
    }

template <bool CHEAP, int N>
__device__ __forceinline__ void activate(float (&v)[N], const stk_cuda_activation &act)
{
    STK_CUDA_ACT_CASES(each_value, v, act)
}

/* Multiplies by slopes; seen as for act_slope. */
template <bool CHEAP, int N>
__device__ __forceinline__ void times_slope(float (&dz)[N], const float (&seen)[N],
                                            const stk_cuda_activation &act)
{
    STK_CUDA_ACT_CASES(each_slope, dz, seen, act)
}

/* The `seen` of act_slope, computed from x. For cheap activations x itself will do. */
template <bool CHEAP, int N>
__device__ __forceinline__ void seen_from_input(float (&v)[N], const stk_cuda_activation &act)
{
    if (CHEAP) return;
    if (act.act == STK_CUDA_ACT_SIGMOID) each_value<STK_CUDA_ACT_SIGMOID, N>(v, act);
    if (act.act == STK_CUDA_ACT_TANH) each_value<STK_CUDA_ACT_TANH, N>(v, act);
    if (act.act == STK_CUDA_ACT_HARDSIGMOID) each_value<STK_CUDA_ACT_HARDSIGMOID, N>(v, act);
}

} // namespace stk

#endif
