/* Column sums: lanes across load 16 bytes of a row each, lanes down take rows. Row sums: a warp or
 * block per row. If there are few results, the reduced dimension is split, and a second launch adds
 * the splits in order. */
#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/reduce.h"

namespace
{

constexpr int THREADS = 256, TURNS = 4, FINISH = 32;
constexpr int BLOCKS = 1056; /* enough to fill a GPU */

struct shape {
    int64_t outer, reduced, inner, splits, chunk; /* chunk: rows per split */
    float   multiply;
    float  *partial; /* NULL: writes results */
};

template <typename T>
__device__ __forceinline__ void give(const shape &s, int64_t split, int64_t result, float sum,
                                     T *out)
{
    if (s.partial)
        s.partial[split * s.outer * s.inner + result] = sum;
    else
        stk::from_float(sum * s.multiply, out[result]);
}

/* Adds rows first, first + step, ... below end, N columns each. */
template <typename T, int N>
__device__ __forceinline__ void sum_rows(const T *x, int64_t first, int64_t end, int64_t step,
                                         int64_t width, float (&sum)[N])
{
    int64_t row = first;
    for (; row + (TURNS - 1) * step < end; row += TURNS * step) {
        float v[TURNS][N];
#pragma unroll
        for (int i = 0; i < TURNS; i++)
            stk::load_floats<T, N>(x + (row + i * step) * width, v[i]);
#pragma unroll
        for (int i = 0; i < TURNS; i++)
#pragma unroll
            for (int k = 0; k < N; k++)
                sum[k] += v[i][k];
    }
    for (; row < end; row += step) {
        float v[N];
        stk::load_floats<T, N>(x + row * width, v);
#pragma unroll
        for (int k = 0; k < N; k++)
            sum[k] += v[k];
    }
}

/* across: lanes, a power of two. A block computes one stripe of columns of one split of one outer
 * index. */
template <typename T, int N>
__global__ void __launch_bounds__(THREADS)
    sum_columns(const T *x, T *out, shape s, int across, int64_t stripes)
{
    stk::wait_for_earlier();
    __shared__ float sums[N][THREADS];
    int64_t          stripe = blockIdx.x % stripes, rest = blockIdx.x / stripes;
    int64_t          split = rest % s.splits, outer = rest / s.splits;
    int     lane = threadIdx.x % across, down = threadIdx.x / across, rows = THREADS / across;
    int64_t column = (stripe * across + lane) * N, begin = split * s.chunk;
    int64_t end = begin + s.chunk < s.reduced ? begin + s.chunk : s.reduced;
    float   sum[N] = {};
    if (column < s.inner)
        sum_rows<T, N>(x + outer * s.reduced * s.inner + column, begin + down, end, rows, s.inner,
                       sum);
#pragma unroll
    for (int k = 0; k < N; k++)
        sums[k][threadIdx.x] = sum[k];
    for (int half = THREADS / 2; half >= across; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
#pragma unroll
            for (int k = 0; k < N; k++)
                sums[k][threadIdx.x] += sums[k][threadIdx.x + half];
    }
    if (down > 0 || column >= s.inner) return;
#pragma unroll
    for (int k = 0; k < N; k++)
        give(s, split, outer * s.inner + column + k, sums[k][lane], out);
}

/* Sum over a block, in thread 0. */
__device__ __forceinline__ float block_sum(float x)
{
    __shared__ float warps[THREADS / stk::WARP];
    x = stk::warp_sum(x);
    if (threadIdx.x % stk::WARP == 0) warps[threadIdx.x / stk::WARP] = x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 1; i < THREADS / stk::WARP; i++)
            x += warps[i];
    return x;
}

/* LANES: a warp or a block. x is [outer, reduced]; a group of lanes has one split of one row. */
template <typename T, int N, int LANES>
__global__ void __launch_bounds__(THREADS) sum_lines(const T *x, T *out, shape s)
{
    stk::wait_for_earlier();
    int64_t group = (int64_t)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    if (group >= s.outer * s.splits) return;
    int64_t split = group % s.splits, row = group / s.splits, begin = split * s.chunk;
    int64_t end = begin + s.chunk < s.reduced ? begin + s.chunk : s.reduced;
    float   sum[N] = {}, all = 0;
    sum_rows<T, N>(x + row * s.reduced, begin / N + threadIdx.x % LANES, end / N, LANES, N, sum);
#pragma unroll
    for (int k = 0; k < N; k++)
        all += sum[k];
    all = LANES == stk::WARP ? stk::warp_sum(all) : block_sum(all);
    if (threadIdx.x % LANES == 0) give(s, split, row, all, out);
}

template <typename T>
__global__ void __launch_bounds__(FINISH *FINISH)
    add_splits(const float *partial, T *out, int64_t results, int64_t splits, float multiply)
{
    stk::wait_for_earlier();
    __shared__ float sums[FINISH][FINISH + 1];
    int              x = threadIdx.x % FINISH, y = threadIdx.x / FINISH;
    int64_t          result = (int64_t)blockIdx.x * FINISH + x;
    float            sum = 0;
    if (result < results)
        for (int64_t i = y; i < splits; i += FINISH)
            sum += partial[i * results + result];
    sums[y][x] = sum;
    for (int half = FINISH / 2; half > 0; half /= 2) {
        __syncthreads();
        if (y < half) sums[y][x] += sums[y + half][x];
    }
    if (y == 0 && result < results) stk::from_float(sums[0][x] * multiply, out[result]);
}

__device__ __forceinline__ int64_t place_of(const stk_cuda_tensor_iter &iter, int64_t index)
{
    int64_t at = 0;
    for (int d = iter.rank - 1; d >= 0; d--) {
        at += index % iter.size[d] * iter.stride[0][d];
        index /= iter.size[d];
    }
    return at;
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    sum_mixed(const T *x, T *out, int64_t reduced,
              const __grid_constant__ stk_cuda_tensor_iter kept_dims,
              const __grid_constant__ stk_cuda_tensor_iter reduced_dims, float multiply)
{
    stk::wait_for_earlier();
    const T *from = x + place_of(kept_dims, blockIdx.x);
    float    sum = 0;
    for (int64_t i = threadIdx.x; i < reduced; i += THREADS)
        sum += stk::to_float(from[place_of(reduced_dims, i)]);
    sum = block_sum(sum);
    if (threadIdx.x == 0) stk::from_float(sum * multiply, out[blockIdx.x]);
}

/* Lanes across, and rows that a block loads at once. */
int lanes_across(int64_t inner, int piece)
{
    int across = 1;
    while (across < stk::WARP && (int64_t)across * piece < inner)
        across *= 2;
    return across;
}

template <typename T> int piece_of(const stk_cuda_reduce_args *p)
{
    int64_t along = p->inner > 1 ? p->inner : p->reduced;
    return along % stk::WIDE<T> == 0 ? stk::WIDE<T> : 1;
}

bool by_warps(const stk_cuda_reduce_args *p)
{
    return p->reduced <= 2048 && p->outer >= 64;
}

template <typename T>
cudaError_t start_columns(const stk_cuda_reduce_args *p, const shape &s, cudaStream_t stream)
{
    int     piece = piece_of<T>(p), across = lanes_across(p->inner, piece);
    int64_t stripes = (p->inner + (int64_t)across * piece - 1) / ((int64_t)across * piece);
    auto   *kernel = piece > 1 ? sum_columns<T, stk::WIDE<T>> : sum_columns<T, 1>;
    return STK_CUDA_LAUNCH_EARLY(kernel, (unsigned)(stripes * s.splits * s.outer), THREADS, 0,
                                 stream, (const T *)p->x, (T *)p->out, s, across, stripes);
}

template <typename T>
cudaError_t start_lines(const stk_cuda_reduce_args *p, const shape &s, cudaStream_t stream)
{
    constexpr int N = stk::WIDE<T>;
    bool          wide = piece_of<T>(p) > 1, warps = by_warps(p);
    int           groups = warps ? THREADS / stk::WARP : 1;
    auto         *kernel = warps  ? wide ? sum_lines<T, N, stk::WARP> : sum_lines<T, 1, stk::WARP>
                            : wide ? sum_lines<T, N, THREADS>
                                  : sum_lines<T, 1, THREADS>;
    return STK_CUDA_LAUNCH_EARLY(kernel, (unsigned)((s.outer * s.splits + groups - 1) / groups),
                                 THREADS, 0, stream, (const T *)p->x, (T *)p->out, s);
}

template <typename T> cudaError_t start_mixed(const stk_cuda_reduce_args *p, cudaStream_t stream)
{
    auto *kernel = sum_mixed<T>;
    return STK_CUDA_LAUNCH_EARLY(kernel, (unsigned)p->outer, THREADS, 0, stream, (const T *)p->x,
                                 (T *)p->out, p->reduced, p->kept_dims, p->reduced_dims,
                                 p->multiply);
}

template <typename T> cudaError_t start(const stk_cuda_reduce_args *p, cudaStream_t stream)
{
    int64_t piece = p->inner > 1 ? 1 : piece_of<T>(p), results = p->outer * p->inner;
    shape   s = {p->outer, p->reduced, p->inner, p->splits, 0, p->multiply, nullptr};
    if (p->mixed) return start_mixed<T>(p, stream);
    s.chunk = ((p->reduced + p->splits - 1) / p->splits + piece - 1) / piece * piece;
    if (p->splits > 1) s.partial = p->partial;
    cudaError_t code = p->inner > 1 ? start_columns<T>(p, s, stream) : start_lines<T>(p, s, stream);
    if (code != cudaSuccess || p->splits == 1) return code;
    auto *kernel = add_splits<T>;
    return STK_CUDA_LAUNCH_EARLY(kernel, stk::blocks_for(results, FINISH), FINISH * FINISH, 0,
                                 stream, (const float *)p->partial, (T *)p->out, results, p->splits,
                                 p->multiply);
}

template <typename T> cudaError_t count_splits(const stk_cuda_reduce_args *p, int64_t *splits)
{
    int     piece = piece_of<T>(p), across = lanes_across(p->inner, piece);
    int64_t blocks = p->outer, least = (int64_t)THREADS * piece * TURNS;
    if (p->inner > 1) {
        blocks *= (p->inner + (int64_t)across * piece - 1) / ((int64_t)across * piece);
        least = THREADS / across * TURNS * 2;
    }
    int64_t most = p->reduced / least;
    *splits = BLOCKS / blocks < most ? BLOCKS / blocks : most;
    if (*splits < 1 || (p->inner == 1 && by_warps(p))) *splits = 1;
    return cudaSuccess;
}

} // namespace

int64_t stk_cuda_reduce_splits(const stk_cuda_reduce_args *args)
{
    int64_t     splits = 1;
    cudaError_t code =
        args->mixed ? cudaSuccess : STK_CUDA_FLOATS(args->dtype, count_splits, args, &splits);
    return code == cudaSuccess ? splits : 1;
}

cudaError_t stk_cuda_reduce_launch(const stk_cuda_reduce_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
