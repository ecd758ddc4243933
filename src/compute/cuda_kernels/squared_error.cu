/* Blocks add the squares of their elements; one block adds their sums. */
#include "compute/cuda_kernels/group.cuh"
#include "compute/cuda_kernels/squared_error.h"

namespace
{

constexpr int THREADS = stk::ROW_THREADS;

template <typename T>
__global__ void __launch_bounds__(THREADS)
    squares(const T *p, const T *t, int64_t n, float *partials)
{
    stk::wait_for_earlier();
    constexpr int N = stk::WIDE<T>;
    int64_t       at = (int64_t)blockIdx.x * THREADS + threadIdx.x, wide = n / N;
    int64_t       step = (int64_t)gridDim.x * THREADS;
    float         sum[N] = {};
#pragma unroll 2
    for (int64_t i = at; i < wide; i += step) {
        float a[N], b[N];
        stk::load_floats<T, N>(p + i * N, a);
        stk::load_floats<T, N>(t + i * N, b);
#pragma unroll
        for (int k = 0; k < N; k++)
            sum[k] += (a[k] - b[k]) * (a[k] - b[k]);
    }
    for (int64_t i = wide * N + at; i < n; i += step) {
        float d = stk::to_float(p[i]) - stk::to_float(t[i]);
        sum[0] += d * d;
    }
#pragma unroll
    for (int k = 1; k < N; k++)
        sum[0] += sum[k];
    float all = stk::team_reduce<THREADS>(sum[0], stk::adding());
    if (threadIdx.x == 0) partials[blockIdx.x] = all;
}

__global__ void __launch_bounds__(THREADS)
    mean(const float *partials, int count, int64_t n, float *loss)
{
    stk::wait_for_earlier();
    double sum = 0;
    for (int i = threadIdx.x; i < count; i += THREADS)
        sum += (double)partials[i];
    sum = stk::team_reduce<THREADS>(sum, stk::adding());
    if (threadIdx.x == 0) *loss = n ? (float)(sum / (double)n) : 0;
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    slope(const T *p, const T *t, int64_t n, const float *dloss, T *dp)
{
    stk::wait_for_earlier();
    constexpr int N = stk::WIDE<T>;
    int64_t       at = (int64_t)blockIdx.x * THREADS + threadIdx.x, wide = n / N;
    int64_t       step = (int64_t)gridDim.x * THREADS;
    float         by = (float)(2 * (double)*dloss / (double)n);
    for (int64_t i = at; i < wide; i += step) {
        float a[N], b[N];
        stk::load_floats<T, N>(p + i * N, a);
        stk::load_floats<T, N>(t + i * N, b);
#pragma unroll
        for (int k = 0; k < N; k++)
            a[k] = by * (a[k] - b[k]);
        stk::store_floats<T, N>(a, dp + i * N);
    }
    for (int64_t i = wide * N + at; i < n; i += step)
        stk::from_float(by * (stk::to_float(p[i]) - stk::to_float(t[i])), dp[i]);
}

template <typename T>
cudaError_t start(const stk_cuda_squared_args *a, float *partials, int blocks, cudaStream_t stream)
{
    auto *kernel = squares<T>;
    return STK_CUDA_LAUNCH_EARLY(kernel, blocks, THREADS, 0, stream, (const T *)a->p,
                                 (const T *)a->t, a->count, partials);
}

template <typename T>
cudaError_t start_back(const stk_cuda_squared_args *a, const float *dloss, void *dp,
                       cudaStream_t stream)
{
    auto *kernel = slope<T>;
    int   blocks = stk::blocks_for(a->count, THREADS * stk::WIDE<T>);
    return STK_CUDA_LAUNCH_EARLY(kernel, blocks, THREADS, 0, stream, (const T *)a->p,
                                 (const T *)a->t, a->count, dloss, (T *)dp);
}

} // namespace

cudaError_t stk_cuda_squared_error_launch(const stk_cuda_squared_args *args, float *partials,
                                          float *loss, cudaStream_t stream)
{
    int         blocks = stk::blocks_for(args->count, THREADS * 8, STK_CUDA_SQUARED_PARTIALS);
    cudaError_t code = STK_CUDA_FLOATS(args->dtype, start, args, partials, blocks, stream);
    if (code != cudaSuccess) return code;
    return STK_CUDA_LAUNCH_EARLY(mean, 1, THREADS, 0, stream, partials, blocks, args->count, loss);
}

cudaError_t stk_cuda_squared_error_grad_launch(const stk_cuda_squared_args *args,
                                               const float *dloss, void *dp, cudaStream_t stream)
{
    if (args->count == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start_back, args, dloss, dp, stream);
}
