/* Pooling by any window. A block takes one result row after the other; a thread takes the channels
 * of one access, or one channel if their number does not divide. */
#include "compute/cuda_kernels/max_pool_3x3.h"
#include "compute/cuda_kernels/window.cuh"

namespace
{

constexpr int THREADS = 256;

struct index {
    int64_t n;
    int     row, column, channel;
};

template <int N, typename F>
__device__ __forceinline__ void each_index(int64_t batch, int height, int width, int64_t channels,
                                           F work)
{
    int64_t rows = batch * height;
    int     groups = (int)(channels / N);
    for (int64_t r = blockIdx.x; r < rows; r += gridDim.x)
        for (int i = (int)threadIdx.x; i < width * groups; i += (int)blockDim.x)
            work(index{r / height, (int)(r % height), i / groups, i % groups * N});
}

/* Offset of a pixel's channels in x and dx, or in y and dy. */
__device__ __forceinline__ int64_t x_at(const stk_cuda_pool_args &a, const index &p, int row,
                                        int column)
{
    return ((p.n * a.down.size + row) * a.across.size + column) * a.channels + p.channel;
}

__device__ __forceinline__ int64_t y_at(const stk_cuda_pool_args &a, const index &p, int row,
                                        int column)
{
    return ((p.n * a.down.count + row) * a.across.count + column) * a.channels + p.channel;
}

/* The first of equal elements wins; NaN wins over all. */
template <typename T, int N>
__global__ void __launch_bounds__(THREADS) largest(stk_cuda_pool_args a)
{
    each_index<N>(a.batch, a.down.count, a.across.count, a.channels, [&](index p) {
        float                 best[N] = {}, here[N];
        stk::pack<uint8_t, N> at = {};
        bool                  found = false;
        for (int ky = 0; ky < a.down.kernel; ky++)
            for (int kx = 0; kx < a.across.kernel; kx++) {
                int y = stk::window_element(a.down, p.row, ky);
                int x = stk::window_element(a.across, p.column, kx);
                if (y < 0 || x < 0) continue;
                stk::load_floats<T, N>((const T *)a.src + x_at(a, p, y, x), here);
#pragma unroll
                for (int k = 0; k < N; k++)
                    if (!found || here[k] > best[k] || here[k] != here[k]) {
                        best[k] = here[k];
                        at.at[k] = (uint8_t)(ky * a.across.kernel + kx);
                    }
                found = true;
            }
        int64_t to = y_at(a, p, p.row, p.column);
        stk::store_floats<T, N>(best, (T *)a.dst + to);
        if (a.indices) *(stk::pack<uint8_t, N> *)(a.indices + to) = at;
    });
}

/* Each element gathers from the windows over it, so no atomics are needed. */
template <typename T, int N>
__global__ void __launch_bounds__(THREADS) largest_grad(stk_cuda_pool_args a)
{
    each_index<N>(a.batch, a.down.size, a.across.size, a.channels, [&](index p) {
        float sum[N] = {}, dy[N];
        for (int ky = 0; ky < a.down.kernel; ky++)
            for (int kx = 0; kx < a.across.kernel; kx++) {
                int y = stk::window_over(a.down, p.row, ky);
                int x = stk::window_over(a.across, p.column, kx);
                if (y < 0 || x < 0) continue;
                int64_t               from = y_at(a, p, y, x);
                stk::pack<uint8_t, N> at = *(const stk::pack<uint8_t, N> *)(a.from + from);
                stk::load_floats<T, N>((const T *)a.src + from, dy);
#pragma unroll
                for (int k = 0; k < N; k++)
                    sum[k] += at.at[k] == ky * a.across.kernel + kx ? dy[k] : 0;
            }
        stk::store_floats<T, N>(sum, (T *)a.dst + x_at(a, p, p.row, p.column));
    });
}

__device__ __forceinline__ int elements_in(const stk_cuda_window &w, int window)
{
    int first = window * w.stride - w.before, end = first + w.kernel;
    return (end > w.size ? w.size : end) - (first < 0 ? 0 : first);
}

/* Factor of a window's sum. */
__device__ __forceinline__ float share(const stk_cuda_pool_args &a, int row, int column)
{
    return 1.0f / (a.count_pad ? (float)(a.down.kernel * a.across.kernel)
                               : (float)(elements_in(a.down, row) * elements_in(a.across, column)));
}

template <typename T, int N>
__global__ void __launch_bounds__(THREADS) average(stk_cuda_pool_args a)
{
    each_index<N>(a.batch, a.down.count, a.across.count, a.channels, [&](index p) {
        float sum[N] = {}, here[N];
        for (int ky = 0; ky < a.down.kernel; ky++)
            for (int kx = 0; kx < a.across.kernel; kx++) {
                int y = stk::window_element(a.down, p.row, ky);
                int x = stk::window_element(a.across, p.column, kx);
                if (y < 0 || x < 0) continue;
                stk::load_floats<T, N>((const T *)a.src + x_at(a, p, y, x), here);
#pragma unroll
                for (int k = 0; k < N; k++)
                    sum[k] += here[k];
            }
        float part = share(a, p.row, p.column);
#pragma unroll
        for (int k = 0; k < N; k++)
            sum[k] *= part;
        stk::store_floats<T, N>(sum, (T *)a.dst + y_at(a, p, p.row, p.column));
    });
}

template <typename T, int N>
__global__ void __launch_bounds__(THREADS) average_grad(stk_cuda_pool_args a)
{
    each_index<N>(a.batch, a.down.size, a.across.size, a.channels, [&](index p) {
        float sum[N] = {}, dy[N];
        for (int ky = 0; ky < a.down.kernel; ky++)
            for (int kx = 0; kx < a.across.kernel; kx++) {
                int y = stk::window_over(a.down, p.row, ky);
                int x = stk::window_over(a.across, p.column, kx);
                if (y < 0 || x < 0) continue;
                float part = share(a, y, x);
                stk::load_floats<T, N>((const T *)a.src + y_at(a, p, y, x), dy);
#pragma unroll
                for (int k = 0; k < N; k++)
                    sum[k] += dy[k] * part;
            }
        stk::store_floats<T, N>(sum, (T *)a.dst + x_at(a, p, p.row, p.column));
    });
}

using pool_kernel = void (*)(stk_cuda_pool_args);

cudaError_t start(const stk_cuda_pool_args *args, pool_kernel wide, pool_kernel single, int width,
                  int height, cudaStream_t stream)
{
    int64_t rows = args->batch * height;
    if (rows == 0 || args->channels == 0) return cudaSuccess;
    pool_kernel kernel = args->channels % width == 0 ? wide : single;
    return STK_CUDA_LAUNCH(kernel, stk::blocks_for(rows, 1), THREADS, 0, stream, *args);
}

template <typename T> cudaError_t start_max(const stk_cuda_pool_args *args, cudaStream_t s)
{
    constexpr int N = stk::WIDE<T>;
    return start(args, largest<T, N>, largest<T, 1>, N, args->down.count, s);
}

template <typename T> cudaError_t start_max_grad(const stk_cuda_pool_args *args, cudaStream_t s)
{
    constexpr int N = stk::WIDE<T>;
    return start(args, largest_grad<T, N>, largest_grad<T, 1>, N, args->down.size, s);
}

template <typename T> cudaError_t start_average(const stk_cuda_pool_args *args, cudaStream_t s)
{
    constexpr int N = stk::WIDE<T>;
    return start(args, average<T, N>, average<T, 1>, N, args->down.count, s);
}

template <typename T> cudaError_t start_average_grad(const stk_cuda_pool_args *args, cudaStream_t s)
{
    constexpr int N = stk::WIDE<T>;
    return start(args, average_grad<T, N>, average_grad<T, 1>, N, args->down.size, s);
}

} // namespace

cudaError_t stk_cuda_max_pool_launch(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    if (args->batch == 0 || args->channels == 0) return cudaSuccess;
    if (stk_cuda_max_pool_3x3_can(args)) return stk_cuda_max_pool_3x3_launch(args, stream);
    return STK_CUDA_FLOATS(args->dtype, start_max, args, stream);
}

cudaError_t stk_cuda_max_pool_grad_launch(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    if (args->batch == 0 || args->channels == 0) return cudaSuccess;
    if (stk_cuda_max_pool_3x3_can(args)) return stk_cuda_max_pool_3x3_grad_launch(args, stream);
    return STK_CUDA_FLOATS(args->dtype, start_max_grad, args, stream);
}

cudaError_t stk_cuda_average_pool_launch(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start_average, args, stream);
}

cudaError_t stk_cuda_average_pool_grad_launch(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start_average_grad, args, stream);
}
