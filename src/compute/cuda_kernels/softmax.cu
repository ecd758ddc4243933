/* Reads a row for the maximum, the sum and the result; the last two hit the cache. */
#include "compute/cuda_kernels/group.cuh"
#include "compute/cuda_kernels/softmax.h"

namespace
{

template <typename T, int N, int TEAM>
__global__ void __launch_bounds__(stk::ROW_THREADS)
    value(const T *x_, T *y_, int64_t rows, int64_t width)
{
    stk::wait_for_earlier();
    for (int64_t r = stk::first_row<TEAM>(); r < rows; r += stk::row_step<TEAM>()) {
        const T *x = x_ + r * width;
        T       *y = y_ + r * width;
        float    row_max = -INFINITY, sum = 0;
        stk::over_row<TEAM, N>(x, width, [&](int64_t, float v) { row_max = fmaxf(row_max, v); });
        row_max = stk::team_reduce<TEAM>(row_max, stk::larger());
        stk::over_row<TEAM, N>(x, width, [&](int64_t, float v) { sum += expf(v - row_max); });
        float by = 1 / stk::team_reduce<TEAM>(sum, stk::adding());
        for (int64_t i = (int64_t)(threadIdx.x % TEAM) * N; i < width; i += TEAM * N) {
            float v[N];
            stk::load_floats<T, N>(x + i, v);
#pragma unroll
            for (int k = 0; k < N; k++)
                v[k] = expf(v[k] - row_max) * by;
            stk::store_floats<T, N>(v, y + i);
        }
    }
}

/* dx = y (dy - sum(dy y)). */
template <typename T, int N, int TEAM>
__global__ void __launch_bounds__(stk::ROW_THREADS)
    slope(const T *dy_, const T *y_, T *dx_, int64_t rows, int64_t width)
{
    stk::wait_for_earlier();
    for (int64_t r = stk::first_row<TEAM>(); r < rows; r += stk::row_step<TEAM>()) {
        const T *dy = dy_ + r * width, *y = y_ + r * width;
        T       *dx = dx_ + r * width;
        float    sum = 0;
#pragma unroll 2
        for (int64_t i = (int64_t)(threadIdx.x % TEAM) * N; i < width; i += TEAM * N) {
            float g[N], v[N];
            stk::load_floats<T, N>(dy + i, g);
            stk::load_floats<T, N>(y + i, v);
#pragma unroll
            for (int k = 0; k < N; k++)
                sum += g[k] * v[k];
        }
        sum = stk::team_reduce<TEAM>(sum, stk::adding());
        for (int64_t i = (int64_t)(threadIdx.x % TEAM) * N; i < width; i += TEAM * N) {
            float g[N], v[N];
            stk::load_floats<T, N>(dy + i, g);
            stk::load_floats<T, N>(y + i, v);
#pragma unroll
            for (int k = 0; k < N; k++)
                v[k] *= g[k] - sum;
            stk::store_floats<T, N>(v, dx + i);
        }
    }
}

template <typename T> cudaError_t start(const stk_cuda_softmax_args *a, cudaStream_t stream)
{
    int   blocks = stk::row_blocks(a->rows, a->width);
    auto *forth = STK_CUDA_ROWS(value, T, a->rows, a->width);
    auto *back = STK_CUDA_ROWS(slope, T, a->rows, a->width);
    if (a->dy)
        return STK_CUDA_LAUNCH_EARLY(back, blocks, stk::ROW_THREADS, 0, stream, (const T *)a->dy,
                                     (const T *)a->x, (T *)a->out, a->rows, a->width);
    return STK_CUDA_LAUNCH_EARLY(forth, blocks, stk::ROW_THREADS, 0, stream, (const T *)a->x,
                                 (T *)a->out, a->rows, a->width);
}

} // namespace

cudaError_t stk_cuda_softmax_launch(const stk_cuda_softmax_args *args, cudaStream_t stream)
{
    if (args->rows == 0 || args->width == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
