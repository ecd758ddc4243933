/* Scale and shift of one channel, in double as the reference has it. */
#ifndef STK_BACKEND_CUDA_OWN_BN_VECTORS_CUH
#define STK_BACKEND_CUDA_OWN_BN_VECTORS_CUH

#include "backend/cuda/own/bn_vectors.h"
#include "backend/cuda/own/launch.cuh"

namespace stk
{

__device__ __forceinline__ float blend(float before, double now, double momentum)
{
    return (float)((1 - momentum) * (double)before + momentum * now);
}

/* Gives scale and shift. */
__device__ __forceinline__ float2 make_scaling(const stk_cuda_bn_vectors_args &a, int64_t c,
                                               float mean_, float var_)
{
    double mean = (double)mean_, var = (double)var_, momentum = (double)a.momentum;
    double inverse = 1 / sqrt(var + (double)a.epsilon), by = (double)a.gamma[c] * inverse;
    float  shift = (float)((double)a.beta[c] - mean * by);
    if (a.scale) a.scale[c] = (float)by;
    if (a.shift) a.shift[c] = shift;
    if (a.invstd) a.invstd[c] = (float)inverse;
    if (a.next_mean) a.next_mean[c] = blend(a.running_mean[c], mean, momentum);
    if (a.next_var) a.next_var[c] = blend(a.running_var[c], var * a.unbias, momentum);
    return {(float)by, shift};
}

} // namespace stk

#endif
