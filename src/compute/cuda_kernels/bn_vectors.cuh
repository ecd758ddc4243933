/* Scale and shift of one channel, in double as the reference. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_VECTORS_CUH
#define STK_COMPUTE_CUDA_KERNELS_BN_VECTORS_CUH

#include "compute/cuda_kernels/bn_vectors.h"
#include "compute/cuda_kernels/launch.cuh"

namespace stk
{

__device__ __forceinline__ float blend(float before, double now, double momentum)
{
    return (float)((1 - momentum) * (double)before + momentum * now);
}

/* Inputs of one channel, loaded together well before they are used. */
struct bn_channel {
    float gamma, beta, running_mean, running_var;

    __device__ __forceinline__ void load(const stk_cuda_bn_vectors_args &a, int64_t c)
    {
        gamma = a.gamma[c];
        beta = a.beta[c];
        running_mean = a.next_mean ? a.running_mean[c] : 0;
        running_var = a.next_var ? a.running_var[c] : 0;
    }
};

/* Returns scale and shift. keep: also stores all requested outputs. */
__device__ __forceinline__ float2 make_scaling(const stk_cuda_bn_vectors_args &a, int64_t c,
                                               const bn_channel &before, float mean_, float var_,
                                               bool keep)
{
    double mean = (double)mean_, var = (double)var_, momentum = (double)a.momentum;
    double inverse = rsqrt(var + (double)a.epsilon), by = (double)before.gamma * inverse;
    float  shift = (float)((double)before.beta - mean * by);
    if (!keep) return {(float)by, shift};
    if (a.scale) a.scale[c] = (float)by;
    if (a.shift) a.shift[c] = shift;
    if (a.invstd) a.invstd[c] = (float)inverse;
    if (a.next_mean) a.next_mean[c] = blend(before.running_mean, mean, momentum);
    if (a.next_var) a.next_var[c] = blend(before.running_var, var * a.unbias, momentum);
    return {(float)by, shift};
}

__device__ __forceinline__ void make_vectors_of(const stk_cuda_bn_vectors_args &a, int64_t c,
                                                float mean, float var)
{
    bn_channel before;
    before.load(a, c);
    make_scaling(a, c, before, mean, var, true);
}

} // namespace stk

#endif
