/* Rows that are read several times: a group keeps one in registers, or reads it again if it is too
 * long. */
#ifndef STK_COMPUTE_CUDA_KERNELS_KEPT_ROW_CUH
#define STK_COMPUTE_CUDA_KERNELS_KEPT_ROW_CUH

#include "compute/cuda_kernels/channel_rows.cuh"
#include "compute/cuda_kernels/group.cuh"

namespace stk
{

constexpr int KEPT_LINES = 4; /* per thread */

/* A thread's share of a row: lines with a stride of TEAM lines. */
template <typename T, int N, int TEAM, int KEEP> struct kept_row {
    static constexpr int LINES = KEEP ? KEPT_LINES : 1;
    line<T, N>           kept[LINES];
    const T             *row;
    int64_t              width;

    __device__ __forceinline__ int64_t at(int64_t i) const
    {
        return (i * TEAM + (int)threadIdx.x % TEAM) * N;
    }
    __device__ __forceinline__ int64_t lines() const
    {
        return KEEP ? LINES : (width + (int64_t)TEAM * N - 1) / ((int64_t)TEAM * N);
    }
    __device__ __forceinline__ void begin(const T *row_, int64_t width_)
    {
        row = row_, width = width_;
        if constexpr (KEEP) {
#pragma unroll
            for (int i = 0; i < LINES; i++)
                kept[i] = load_line<T, N>(row + at(i), at(i) < width);
        }
    }
    __device__ __forceinline__ void get(int64_t i, float (&v)[N]) const
    {
        unpack(KEEP ? kept[KEEP ? i : 0] : *reinterpret_cast<const line<T, N> *>(row + at(i)), v);
    }
};

template <int I> struct constant {
    static constexpr int value = I;
};

/* Calls f with N, TEAM and KEEP as template arguments, and the number of blocks. */
template <typename T, int N, typename F>
cudaError_t start_kept_of(int64_t rows, int64_t width, const F &f)
{
    int single = blocks_for(rows, 1), several = blocks_for(rows, ROW_THREADS / WARP);
    if (width <= N * KEPT_LINES * WARP)
        return f(constant<N>(), constant<WARP>(), constant<1>(), several);
    if (width <= N * KEPT_LINES * ROW_THREADS)
        return f(constant<N>(), constant<ROW_THREADS>(), constant<1>(), single);
    return f(constant<N>(), constant<ROW_THREADS>(), constant<0>(), single);
}

template <typename T, typename F> cudaError_t start_kept(int64_t rows, int64_t width, const F &f)
{
    if (rows == 0) return cudaSuccess;
    return width % WIDE<T> ? start_kept_of<T, 1>(rows, width, f)
                           : start_kept_of<T, WIDE<T>>(rows, width, f);
}

} // namespace stk

/* Launches the instance of a template <T, N, TEAM, KEEP> for rows of a width. */
#define STK_CUDA_KEPT(kernel, T, rows, width, stream, ...)                                         \
    stk::start_kept<T>(rows, width, [&](auto n, auto team, auto keep, int blocks) {                \
        auto *chosen = kernel<T, n.value, team.value, keep.value>;                                 \
        return STK_CUDA_LAUNCH(chosen, blocks, stk::ROW_THREADS, 0, stream, __VA_ARGS__);          \
    })

#endif
