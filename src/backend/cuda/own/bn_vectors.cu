/* A thread per channel, in double as the reference: it is a few thousand numbers. */
#include "backend/cuda/own/bn_vectors.h"
#include "backend/cuda/own/launch.cuh"

namespace
{

constexpr int THREADS = 128;

__device__ __forceinline__ float blend(float before, double now, double momentum)
{
    return (float)((1 - momentum) * (double)before + momentum * now);
}

__global__ void __launch_bounds__(THREADS)
    make_vectors(const __grid_constant__ stk_cuda_bn_vectors_args a)
{
    int64_t c = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (c >= a.channels) return;
    double mean = (double)a.mean[c], var = (double)a.var[c], momentum = (double)a.momentum;
    double inverse = 1 / sqrt(var + (double)a.epsilon), by = (double)a.gamma[c] * inverse;
    float  shift = (float)((double)a.beta[c] - mean * by);
    if (a.scale) a.scale[c] = (float)by;
    if (a.shift) a.shift[c] = shift;
    if (a.invstd) a.invstd[c] = (float)inverse;
    if (a.next_mean) a.next_mean[c] = blend(a.running_mean[c], mean, momentum);
    if (a.next_var) a.next_var[c] = blend(a.running_var[c], var * a.unbias, momentum);
}

} // namespace

cudaError_t stk_cuda_bn_vectors_launch(const stk_cuda_bn_vectors_args *args, cudaStream_t stream)
{
    if (args->channels == 0) return cudaSuccess;
    return STK_CUDA_LAUNCH(make_vectors, stk::blocks_for(args->channels, THREADS, INT32_MAX),
                           THREADS, 0, stream, *args);
}
