/* Merges the blocks' partials of mean and variance, converted to the first block's value, in
 * double. */
#include "compute/cuda_kernels/depthwise.h"
#include "compute/cuda_kernels/launch.cuh"

namespace
{

constexpr int ROWS = 32, THREADS = ROWS * stk::WARP, SUMS = 3;

__global__ void __launch_bounds__(THREADS)
    put_together(const float *partials, int count, int channels, float *mean, float *var)
{
    __shared__ double shared[SUMS][ROWS][stk::WARP];
    int               lane = (int)threadIdx.x % stk::WARP, row = (int)threadIdx.x / stk::WARP;
    int               c = (int)blockIdx.x * stk::WARP + lane;
    double            sums[SUMS] = {}, to = c < channels ? (double)partials[c] : 0;
#pragma unroll 4
    for (int i = row; i < count && c < channels; i += ROWS) {
        const float *part = partials + (int64_t)i * STK_CUDA_DW_VALUES * channels + c;
        double       n = (double)part[STK_CUDA_DW_COUNT * channels];
        double       sum = (double)part[STK_CUDA_DW_SUM * channels];
        double       off = (double)part[STK_CUDA_DW_FROM * channels] - to;
        sums[0] += sum + n * off;
        sums[1] += (double)part[STK_CUDA_DW_SQUARES * channels] + off * (2 * sum + n * off);
        sums[2] += n;
    }
#pragma unroll
    for (int s = 0; s < SUMS; s++)
        shared[s][row][lane] = sums[s];
    __syncthreads();
    if (row > 0 || c >= channels) return;
    for (int r = 1; r < ROWS; r++)
#pragma unroll
        for (int s = 0; s < SUMS; s++)
            sums[s] += shared[s][r][lane];
    double each = sums[0] / sums[2], spread = (sums[1] - sums[0] * each) / sums[2];
    if (mean) mean[c] = (float)(to + each);
    if (var) var[c] = (float)(spread < 0 ? 0 : spread);
}

} // namespace

cudaError_t stk_cuda_depthwise_stats_launch(const stk_cuda_conv_args      *args,
                                            const stk_cuda_depthwise_plan *plan, float *mean,
                                            float *var, cudaStream_t stream)
{
    return STK_CUDA_LAUNCH(put_together, stk::blocks_for(args->in_c, stk::WARP), THREADS, 0, stream,
                           args->partials, plan->blocks, args->in_c, mean, var);
}
