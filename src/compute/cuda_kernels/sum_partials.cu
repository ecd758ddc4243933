/* A warp's lanes take adjacent results, its block's warps a share of the partials. */
#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/sum_partials.h"

namespace
{

constexpr int ROWS = 16, THREADS = ROWS * stk::WARP;

template <typename T> __global__ void __launch_bounds__(THREADS) add(stk_cuda_sum_partials_args a)
{
    stk::wait_for_earlier();
    __shared__ float sums[ROWS][stk::WARP];
    int              lane = threadIdx.x % stk::WARP, row = threadIdx.x / stk::WARP;
    stk::wait_for_earlier();
    for (int64_t block = blockIdx.x; block * stk::WARP < a.count; block += gridDim.x) {
        int64_t i = block * stk::WARP + lane;
        float   sum = 0;
#pragma unroll 8
        for (int p = row; p < a.partials && i < a.count; p += ROWS)
            sum += a.from[p * a.count + i];
        sums[row][lane] = sum;
        __syncthreads();
        if (row == 0 && i < a.count) {
#pragma unroll
            for (int r = 1; r < ROWS; r++)
                sum += sums[r][lane];
            stk::from_float(sum, i < a.first_count ? ((T *)a.first)[i]
                                                   : ((T *)a.rest)[i - a.first_count]);
        }
        __syncthreads();
    }
}

template <typename T> cudaError_t start(const stk_cuda_sum_partials_args *args, cudaStream_t stream)
{
    auto *kernel = add<T>;
    return STK_CUDA_LAUNCH_EARLY(kernel, stk::blocks_for(args->count, stk::WARP), THREADS, 0,
                                 stream, *args);
}

} // namespace

cudaError_t stk_cuda_sum_partials_launch(const stk_cuda_sum_partials_args *args,
                                         cudaStream_t                      stream)
{
    if (args->count == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
