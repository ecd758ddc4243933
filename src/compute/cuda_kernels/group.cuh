/* Row-wise kernels: a group of threads, a warp or a block, shares a row. */
#ifndef STK_COMPUTE_CUDA_KERNELS_GROUP_CUH
#define STK_COMPUTE_CUDA_KERNELS_GROUP_CUH

#include "compute/cuda_kernels/launch.cuh"

namespace stk
{

constexpr int ROW_THREADS = 256; /* per block, for any group */

template <int TEAM> __device__ __forceinline__ int64_t first_row()
{
    return (int64_t)blockIdx.x * (ROW_THREADS / TEAM) + threadIdx.x / TEAM;
}

template <int TEAM> __device__ __forceinline__ int64_t row_step()
{
    return (int64_t)gridDim.x * (ROW_THREADS / TEAM);
}

struct adding {
    template <typename V> __device__ V operator()(V a, V b) const
    {
        return a + b;
    }
};

struct larger {
    __device__ float operator()(float a, float b) const
    {
        return fmaxf(a, b);
    }
};

/* Reduces over the group in a fixed order. All its threads must call it and get the result. */
template <int TEAM, typename V, typename OP> __device__ __forceinline__ V team_reduce(V x, OP op)
{
#pragma unroll
    for (int d = WARP / 2; d > 0; d /= 2)
        x = op(x, __shfl_xor_sync(0xffffffffu, x, d));
    if (TEAM == WARP) return x;
    __shared__ V warps[TEAM / WARP];
    __syncthreads(); /* the result of the previous call has been read */
    if (threadIdx.x % WARP == 0) warps[threadIdx.x / WARP] = x;
    __syncthreads();
    x = warps[0];
#pragma unroll
    for (int i = 1; i < TEAM / WARP; i++)
        x = op(x, warps[i]);
    return x;
}

/* Calls f(index, value) for the thread's share of a row. N: elements per access, a divisor of
 * width. */
template <int TEAM, int N, typename T, typename F>
__device__ __forceinline__ void over_row(const T *row, int64_t width, F f)
{
    [[maybe_unused]] constexpr int AHEAD = N == 1 ? 4 : 2; /* loads in flight */
#pragma unroll AHEAD
    for (int64_t i = (int64_t)(threadIdx.x % TEAM) * N; i < width; i += TEAM * N) {
        float v[N];
        load_floats<T, N>(row + i, v);
#pragma unroll
        for (int k = 0; k < N; k++)
            f(i + k, v[k]);
    }
}

/* Whether one warp per row fills the GPU, or rows are so short that a block would idle. */
inline bool row_per_warp(int64_t rows, int64_t width)
{
    return width <= 256 || (width <= 2048 && rows >= 8192);
}

inline int row_blocks(int64_t rows, int64_t width)
{
    return blocks_for(rows, row_per_warp(rows, width) ? ROW_THREADS / WARP : 1);
}

} // namespace stk

/* Selects the instance of a template <T, N, TEAM> for rows of a width. */
#define STK_CUDA_ROWS(kernel, T, rows, width)                                                      \
    ((width) % stk::WIDE<T> == 0                                                                   \
         ? (stk::row_per_warp(rows, width) ? kernel<T, stk::WIDE<T>, stk::WARP>                    \
                                           : kernel<T, stk::WIDE<T>, stk::ROW_THREADS>)            \
         : (stk::row_per_warp(rows, width) ? kernel<T, 1, stk::WARP>                               \
                                           : kernel<T, 1, stk::ROW_THREADS>))

#endif
