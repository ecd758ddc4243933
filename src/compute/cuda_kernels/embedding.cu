/* Gradient: a block owns some rows of the table and scans all ids for them in order. No two blocks
 * add to a row, so bits are reproducible. */
#include "compute/cuda_kernels/embedding.h"
#include "compute/cuda_kernels/launch.cuh"

namespace
{

constexpr int THREADS = 256, WARPS = THREADS / stk::WARP;
constexpr int OWNED = 32; /* rows per block */

__device__ __forceinline__ int64_t id_at(const stk_cuda_embedding_args &args, int64_t i)
{
    return args.id_dtype == STK_DTYPE_I64 ? ((const int64_t *)args.ids)[i]
                                          : ((const int32_t *)args.ids)[i];
}

/* threads.x along a row, threads.y rows at once. */
template <typename T, int N>
__global__ void __launch_bounds__(THREADS)
    gather(stk_cuda_embedding_args args, const T *table, T *y)
{
    typedef stk::pack<T, N> some;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.y + threadIdx.y; i < args.count;
         i += (int64_t)gridDim.x * blockDim.y) {
        int64_t id = id_at(args, i);
        bool    there = id >= 0 && id < args.rows;
        for (int64_t d = (int64_t)threadIdx.x * N; d < args.width; d += (int64_t)blockDim.x * N) {
            some p;
            if (there)
                p = *reinterpret_cast<const some *>(table + id * args.width + d);
            else
                for (int k = 0; k < N; k++)
                    stk::from_float(NAN, p.at[k]);
            *reinterpret_cast<some *>(y + i * args.width + d) = p;
        }
    }
}

/* Of THREADS ids from first on, stores the positions of those in the block's rows to hits, in
 * order. Every thread gets their count. */
__device__ __forceinline__ int find(const stk_cuda_embedding_args &args, int64_t first,
                                    int64_t begin, int64_t end, int *hits, int *owner)
{
    __shared__ unsigned found[WARPS];
    int64_t             i = first + threadIdx.x;
    int64_t             id = i < args.count ? id_at(args, i) : -1;
    bool                mine = id >= begin && id < end;
    int                 lane = threadIdx.x % stk::WARP, warp = threadIdx.x / stk::WARP;
    unsigned            lanes = __ballot_sync(0xffffffffu, mine);
    if (lane == 0) found[warp] = lanes;
    if (!__syncthreads_or(mine)) return 0;
    int before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        before += w < warp ? __popc(found[w]) : 0;
        all += __popc(found[w]);
    }
    before += __popc(lanes & ((1u << lane) - 1));
    if (mine) hits[before] = (int)threadIdx.x, owner[before] = (int)(id - begin);
    __syncthreads();
    return all;
}

/* One column per thread; blockIdx.y selects the block of columns. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    scatter(stk_cuda_embedding_args args, const T *dy, T *dtable)
{
    __shared__ float sums[OWNED][THREADS];
    __shared__ int   hits[THREADS], owner[THREADS];
    int64_t          column = (int64_t)blockIdx.y * THREADS + threadIdx.x;
    int64_t          begin = (int64_t)blockIdx.x * OWNED;
    int64_t          end = begin + OWNED < args.rows ? begin + OWNED : args.rows;
    for (int r = 0; r < OWNED; r++)
        sums[r][threadIdx.x] = 0;
    for (int64_t first = 0; first < args.count; first += THREADS) {
        int count = find(args, first, begin, end, hits, owner);
        if (column < args.width)
#pragma unroll 4
            for (int h = 0; h < count; h++)
                sums[owner[h]][threadIdx.x] +=
                    stk::to_float(dy[(first + hits[h]) * args.width + column]);
        if (count) __syncthreads();
    }
    for (int64_t r = begin; r < end && column < args.width; r++)
        stk::from_float(sums[r - begin][threadIdx.x], dtable[r * args.width + column]);
}

template <typename T>
cudaError_t start(const stk_cuda_embedding_args *a, const void *table, void *y, cudaStream_t stream)
{
    bool    wide = a->width % stk::WIDE<T> == 0;
    auto   *kernel = wide ? gather<T, stk::WIDE<T>> : gather<T, 1>;
    int64_t packs = wide ? a->width / stk::WIDE<T> : a->width;
    int     across = 1;
    while (across < packs && across < THREADS)
        across *= 2;
    dim3 threads((unsigned)across, (unsigned)(THREADS / across));
    int  blocks = stk::blocks_for(a->count, (int)threads.y);
    return STK_CUDA_LAUNCH(kernel, blocks, threads, 0, stream, *a, (const T *)table, (T *)y);
}

template <typename T>
cudaError_t start_back(const stk_cuda_embedding_args *a, const void *dy, void *dtable,
                       cudaStream_t stream)
{
    auto *kernel = scatter<T>;
    dim3  blocks((unsigned)((a->rows + OWNED - 1) / OWNED),
                 (unsigned)((a->width + THREADS - 1) / THREADS));
    return STK_CUDA_LAUNCH(kernel, blocks, THREADS, 0, stream, *a, (const T *)dy, (T *)dtable);
}

} // namespace

cudaError_t stk_cuda_embedding_launch(const stk_cuda_embedding_args *args, const void *table,
                                      void *y, cudaStream_t stream)
{
    if (args->count == 0 || args->width == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, table, y, stream);
}

cudaError_t stk_cuda_embedding_grad_launch(const stk_cuda_embedding_args *args, const void *dy,
                                           void *dtable, cudaStream_t stream)
{
    if (args->rows == 0 || args->width == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start_back, args, dy, dtable, stream);
}
