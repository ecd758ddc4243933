/* Threads that find a non-finite element set the flag; all write the same value. */
#include "compute/cuda_kernels/finite.h"
#include "compute/cuda_kernels/launch.cuh"

namespace
{

constexpr int THREADS = 256;

template <typename T> __global__ void look(const T *data, int64_t count, int *flag)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        if (!isfinite(stk::to_float(data[i]))) *flag = 1;
}

template <typename T>
cudaError_t look_all(const void *data, int64_t count, int *flag, cudaStream_t stream)
{
    auto *kernel = look<T>;
    return STK_CUDA_LAUNCH(kernel, stk::blocks_for(count, THREADS, 4096), THREADS, 0, stream,
                           (const T *)data, count, flag);
}

} // namespace

cudaError_t stk_cuda_finite_launch(int dtype, const void *data, size_t count, int *flag,
                                   cudaStream_t stream)
{
    if (count == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(dtype, look_all, data, (int64_t)count, flag, stream);
}
