/* Activations and slopes, as in src/compute/ops. The kind is a template parameter, so there is no
 * branch per element. */
#ifndef STK_COMPUTE_CUDA_KERNELS_ACT_CUH
#define STK_COMPUTE_CUDA_KERNELS_ACT_CUH

#include "compute/cuda_kernels/abi.h"
#include "compute/cuda_kernels/launch.cuh"

namespace stk
{

__device__ __forceinline__ float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

template <stk_cuda_act ACT> __device__ __forceinline__ float act_value(float x, float a, float b)
{
    if (ACT == STK_CUDA_ACT_RELU) return x > 0 ? x : 0;
    if (ACT == STK_CUDA_ACT_CLIP) return x < a ? a : x > b ? b : x;
    if (ACT == STK_CUDA_ACT_LEAKY_RELU) return x > 0 ? x : a * x;
    if (ACT == STK_CUDA_ACT_GELU) return 0.5f * x * (1 + erff(x * 0.70710678f));
    if (ACT == STK_CUDA_ACT_SILU) return x / (1 + expf(-x));
    if (ACT == STK_CUDA_ACT_SIGMOID) return sigmoid(x);
    if (ACT == STK_CUDA_ACT_TANH) return tanhf(x);
    if (ACT == STK_CUDA_ACT_HARDSWISH) return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6;
    if (ACT == STK_CUDA_ACT_HARDSIGMOID) return x <= -3 ? 0 : x >= 3 ? 1 : x / 6 + 0.5f;
    return x;
}

/* seen: y if the activation's row is from_output, else x. */
template <stk_cuda_act ACT> __device__ __forceinline__ float act_slope(float seen, float a, float b)
{
    if (ACT == STK_CUDA_ACT_RELU) return seen > 0 ? 1 : 0;
    if (ACT == STK_CUDA_ACT_CLIP) return seen > a && seen < b ? 1 : 0;
    if (ACT == STK_CUDA_ACT_LEAKY_RELU) return seen > 0 ? 1 : a;
    if (ACT == STK_CUDA_ACT_GELU)
        return 0.5f * (1 + erff(seen * 0.70710678f)) +
               seen * 0.39894228f * expf(-0.5f * seen * seen);
    if (ACT == STK_CUDA_ACT_SILU) {
        float s = sigmoid(seen);
        return s * (1 + seen * (1 - s));
    }
    if (ACT == STK_CUDA_ACT_SIGMOID) return seen * (1 - seen);
    if (ACT == STK_CUDA_ACT_TANH) return 1 - seen * seen;
    if (ACT == STK_CUDA_ACT_HARDSWISH) return seen <= -3 ? 0 : seen >= 3 ? 1 : (2 * seen + 3) / 6;
    if (ACT == STK_CUDA_ACT_HARDSIGMOID) return seen > 0 && seen < 1 ? 1 / 6.0f : 0;
    return 1;
}

} // namespace stk

/* Calls f<ACT, T>(...) with the kind as template argument. */
#define STK_CUDA_EACH_ACT(act_, T, f, ...)                                                         \
    ((act_) == STK_CUDA_ACT_NONE          ? f<STK_CUDA_ACT_NONE, T>(__VA_ARGS__)                   \
     : (act_) == STK_CUDA_ACT_RELU        ? f<STK_CUDA_ACT_RELU, T>(__VA_ARGS__)                   \
     : (act_) == STK_CUDA_ACT_CLIP        ? f<STK_CUDA_ACT_CLIP, T>(__VA_ARGS__)                   \
     : (act_) == STK_CUDA_ACT_LEAKY_RELU  ? f<STK_CUDA_ACT_LEAKY_RELU, T>(__VA_ARGS__)             \
     : (act_) == STK_CUDA_ACT_GELU        ? f<STK_CUDA_ACT_GELU, T>(__VA_ARGS__)                   \
     : (act_) == STK_CUDA_ACT_SILU        ? f<STK_CUDA_ACT_SILU, T>(__VA_ARGS__)                   \
     : (act_) == STK_CUDA_ACT_SIGMOID     ? f<STK_CUDA_ACT_SIGMOID, T>(__VA_ARGS__)                \
     : (act_) == STK_CUDA_ACT_TANH        ? f<STK_CUDA_ACT_TANH, T>(__VA_ARGS__)                   \
     : (act_) == STK_CUDA_ACT_HARDSWISH   ? f<STK_CUDA_ACT_HARDSWISH, T>(__VA_ARGS__)              \
     : (act_) == STK_CUDA_ACT_HARDSIGMOID ? f<STK_CUDA_ACT_HARDSIGMOID, T>(__VA_ARGS__)            \
                                          : cudaErrorInvalidValue)

#endif
