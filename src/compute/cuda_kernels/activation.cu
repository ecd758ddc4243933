/* 16 bytes per thread and access; the last elements one by one. */
#include "compute/cuda_kernels/act.cuh"
#include "compute/cuda_kernels/activation.h"

namespace
{

constexpr int THREADS = 256;

template <stk_cuda_act ACT, typename T, bool GRAD>
__device__ __forceinline__ float one(float x, float dy, float a, float b)
{
    return GRAD ? dy * stk::act_slope<ACT>(x, a, b) : stk::act_value<ACT>(x, a, b);
}

template <stk_cuda_act ACT, typename T, bool GRAD>
__global__ void __launch_bounds__(THREADS)
    apply(const T *x, const T *dy, T *out, int64_t count, float a, float b)
{
    stk::wait_for_earlier();
    constexpr int N = stk::WIDE<T>;
    int64_t       at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, wide = count / N;
    int64_t       step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = at; i < wide; i += step) {
        float v[N], g[N] = {};
        stk::load_floats<T, N>(x + i * N, v);
        if (GRAD) stk::load_floats<T, N>(dy + i * N, g);
#pragma unroll
        for (int k = 0; k < N; k++)
            v[k] = one<ACT, T, GRAD>(v[k], g[k], a, b);
        stk::store_floats<T, N>(v, out + i * N);
    }
    for (int64_t i = wide * N + at; i < count; i += step)
        stk::from_float(
            one<ACT, T, GRAD>(stk::to_float(x[i]), GRAD ? stk::to_float(dy[i]) : 0, a, b), out[i]);
}

template <stk_cuda_act ACT, typename T>
cudaError_t start(const stk_cuda_activation_args *args, cudaStream_t stream)
{
    auto *kernel = args->dy ? apply<ACT, T, true> : apply<ACT, T, false>;
    int   blocks = stk::blocks_for(args->count, THREADS * stk::WIDE<T>);
    return STK_CUDA_LAUNCH_EARLY(kernel, blocks, THREADS, 0, stream, (const T *)args->x,
                                 (const T *)args->dy, (T *)args->out, args->count, args->act.a,
                                 args->act.b);
}

template <typename T> cudaError_t start_any(const stk_cuda_activation_args *args, cudaStream_t s)
{
    return STK_CUDA_EACH_ACT(args->act.act, T, start, args, s);
}

} // namespace

cudaError_t stk_cuda_activation_launch(const stk_cuda_activation_args *args, cudaStream_t stream)
{
    if (args->count == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start_any, args, stream);
}
