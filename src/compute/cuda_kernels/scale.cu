/* 16-byte accesses, four in flight. */
#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/scale.h"

namespace
{

constexpr int THREADS = 256, TURNS = 4;

template <typename T>
__global__ void __launch_bounds__(THREADS)
    apply(const T *x, T *out, int64_t count, float scale, float shift)
{
    stk::wait_for_earlier();
    constexpr int N = stk::WIDE<T>, CHUNK = THREADS * TURNS * N;
    int64_t       begin = (int64_t)blockIdx.x * CHUNK, left = count - begin;
    x += begin, out += begin;
    if (left < CHUNK) {
        for (int i = threadIdx.x; i < left; i += THREADS)
            stk::from_float(stk::to_float(x[i]) * scale + shift, out[i]);
        return;
    }
    stk::pack<T, N> v[TURNS];
#pragma unroll
    for (int i = 0; i < TURNS; i++)
        v[i] = *reinterpret_cast<const stk::pack<T, N> *>(x + (i * THREADS + threadIdx.x) * N);
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
#pragma unroll
        for (int k = 0; k < N; k++)
            stk::from_float(stk::to_float(v[i].at[k]) * scale + shift, v[i].at[k]);
        *reinterpret_cast<stk::pack<T, N> *>(out + (i * THREADS + threadIdx.x) * N) = v[i];
    }
}

template <typename T>
cudaError_t start(const void *x, void *out, int64_t count, float scale, float shift,
                  cudaStream_t stream)
{
    auto *kernel = apply<T>;
    int   blocks = stk::blocks_for(count, THREADS * TURNS * stk::WIDE<T>, INT32_MAX);
    return STK_CUDA_LAUNCH_EARLY(kernel, blocks, THREADS, 0, stream, (const T *)x, (T *)out, count,
                                 scale, shift);
}

} // namespace

cudaError_t stk_cuda_scale_launch(int dtype, const void *x, void *out, int64_t count, float scale,
                                  float shift, cudaStream_t stream)
{
    if (count == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(dtype, start, x, out, count, scale, shift, stream);
}
