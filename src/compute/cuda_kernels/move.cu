/* If the innermost dimension differs between source and result, tiles pass through shared memory,
 * so that both sides access complete lines. Otherwise copies run along the result, elements of up
 * to 16 bytes. */
#include "compute/cuda_kernels/move.h"
#include "compute/cuda_kernels/tensor_iter.cuh"

namespace
{

constexpr int THREADS = 256, TURNS = 4, TILE = 32, ROWS = THREADS / TILE;

template <typename T>
__global__ void __launch_bounds__(THREADS)
    move(const T *src, T *dst, const __grid_constant__ stk::strided_iter iter)
{
    stk::wait_for_earlier();
    uint32_t first = blockIdx.x * (THREADS * TURNS) + threadIdx.x;
    T        v[TURNS];
    int64_t  to[TURNS];
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
        uint32_t index = first + i * THREADS;
        int64_t  at[2] = {0, 0};
        if (index < iter.pieces) iter.find(index, at);
        if (index < iter.pieces) v[i] = src[at[0]];
        to[i] = at[1];
    }
#pragma unroll
    for (int i = 0; i < TURNS; i++)
        if (first + i * THREADS < iter.pieces) dst[to[i]] = v[i];
}

/* Rows are contiguous in the source, columns in the result. */
struct tiles {
    int64_t           rows, columns, row_dst, column_src;
    stk::divider      down, across; /* tiles */
    stk::strided_iter outer;
};

template <typename T>
__global__ void __launch_bounds__(THREADS)
    turn(const T *src, T *dst, const __grid_constant__ tiles t)
{
    stk::wait_for_earlier();
    __shared__ T tile[TILE][TILE + 1];
    uint32_t     over = t.across.divide(blockIdx.x), box = t.down.divide(over);
    int64_t      column = (int64_t)(blockIdx.x - over * t.across.by) * TILE;
    int64_t      row = (int64_t)(over - box * t.down.by) * TILE;
    int64_t      at[2];
    int          x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    t.outer.find(box, at);
#pragma unroll
    for (int i = y; i < TILE; i += ROWS)
        if (row + x < t.rows && column + i < t.columns)
            tile[i][x] = src[at[0] + row + x + (column + i) * t.column_src];
    __syncthreads();
#pragma unroll
    for (int i = y; i < TILE; i += ROWS)
        if (row + i < t.rows && column + x < t.columns)
            dst[at[1] + column + x + (row + i) * t.row_dst] = tile[x][i];
}

/* The dimension that is contiguous in the source and is not the last; -1: none. */
int together(const stk_cuda_tensor_iter &iter)
{
    for (int d = 0; d < iter.rank - 1; d++)
        if (iter.stride[0][d] == 1) return d;
    return -1;
}

template <typename T>
cudaError_t start_tiles(const stk_cuda_tensor_iter &iter, int row, const T *src, T *dst,
                        cudaStream_t stream)
{
    int                  last = iter.rank - 1, n = 0;
    stk_cuda_tensor_iter rest = {};
    tiles                t = {};
    auto                *kernel = turn<T>;
    rest.tensors = 2;
    for (int d = 0; d < last; d++) {
        if (d == row) continue;
        rest.size[n] = iter.size[d];
        rest.stride[0][n] = iter.stride[0][d];
        rest.stride[1][n++] = iter.stride[1][d];
    }
    if (n == 0) rest.size[n++] = 1;
    rest.rank = n;
    t.outer.set(rest, 1);
    t.rows = iter.size[row], t.columns = iter.size[last];
    t.row_dst = iter.stride[1][row], t.column_src = iter.stride[0][last];
    t.down.set((uint32_t)((t.rows + TILE - 1) / TILE));
    t.across.set((uint32_t)((t.columns + TILE - 1) / TILE));
    uint32_t blocks = t.outer.pieces * t.down.by * t.across.by;
    return STK_CUDA_LAUNCH_EARLY(kernel, blocks, THREADS, 0, stream, src, dst, t);
}

template <typename T>
cudaError_t start_part(const stk_cuda_tensor_iter &iter, const T *src, T *dst, cudaStream_t stream)
{
    int  last = iter.rank - 1, row = together(iter);
    bool turned = iter.stride[0][last] > 1 && iter.stride[1][last] == 1 && row >= 0;
    if (turned && iter.size[row] >= 8 && iter.size[last] >= 8)
        return start_tiles(iter, row, src, dst, stream);
    stk::strided_iter w;
    auto             *kernel = move<T>;
    w.set(iter, 1);
    return STK_CUDA_LAUNCH_EARLY(kernel, stk::blocks_for(w.pieces, THREADS * TURNS, INT32_MAX),
                                 THREADS, 0, stream, src, dst, w);
}

template <typename T>
cudaError_t start(const stk_cuda_tensor_iter *iter, const void *src, void *dst, cudaStream_t stream)
{
    const int64_t from[STK_CUDA_ITER_TENSORS] = {0, 0, 0};
    return stk::iter_in_parts(
        *iter, from,
        [&](const stk_cuda_tensor_iter &part, const int64_t(&at)[STK_CUDA_ITER_TENSORS]) {
            return start_part(part, (const T *)src + at[0], (T *)dst + at[1], stream);
        });
}

__global__ void __launch_bounds__(THREADS)
    fill(uint8_t *dst, int64_t bytes, stk_cuda_pattern pattern)
{
    stk::wait_for_earlier();
    int64_t first = (int64_t)blockIdx.x * (THREADS * TURNS) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
        int64_t at = (first + i * THREADS) * 16;
        if (at + 16 <= bytes)
            *reinterpret_cast<uint4 *>(dst + at) =
                make_uint4(pattern.word[0], pattern.word[1], pattern.word[2], pattern.word[3]);
        else
            for (int k = 0; at + k < bytes; k++)
                dst[at + k] = (uint8_t)(pattern.word[k / 4] >> k % 4 * 8);
    }
}

} // namespace

cudaError_t stk_cuda_move_launch(const stk_cuda_tensor_iter *iter, size_t width, const void *src,
                                 void *dst, cudaStream_t stream)
{
    switch (width) {
    case 1:
        return start<uint8_t>(iter, src, dst, stream);
    case 2:
        return start<uint16_t>(iter, src, dst, stream);
    case 4:
        return start<uint32_t>(iter, src, dst, stream);
    case 8:
        return start<uint64_t>(iter, src, dst, stream);
    case 16:
        return start<uint4>(iter, src, dst, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t stk_cuda_fill_launch(void *dst, int64_t bytes, stk_cuda_pattern pattern,
                                 cudaStream_t stream)
{
    if (bytes == 0) return cudaSuccess;
    int blocks = stk::blocks_for(bytes, THREADS * TURNS * 16, INT32_MAX);
    return STK_CUDA_LAUNCH_EARLY(fill, blocks, THREADS, 0, stream, (uint8_t *)dst, bytes, pattern);
}
