/* Kernels for compute capability 9.0 are not emulated. */
#include "compute/cuda_kernels/hopper.h"
#include "compute/cuda_kernels/hopper_conv3.h"
#include "compute/cuda_kernels/hopper_gemm.h"
#include "compute/cuda_kernels/stem.h"

bool stk_cuda_hopper_here(void)
{
    return false;
}

bool stk_cuda_gemm_fits(int64_t columns, int64_t depth, int tile, int results)
{
    (void)columns, (void)depth, (void)tile, (void)results;
    return false;
}

size_t stk_cuda_gemm_bytes(const stk_cuda_gemm_args *args)
{
    (void)args;
    return 0;
}

cudaError_t stk_cuda_gemm_stats_launch(const stk_cuda_gemm_args *args, cudaStream_t stream)
{
    (void)args, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t stk_cuda_gemm_sum_launch(const stk_cuda_gemm_args *args, cudaStream_t stream)
{
    (void)args, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t stk_cuda_gemm_norm_launch(const stk_cuda_gemm_args *args, cudaStream_t stream)
{
    (void)args, (void)stream;
    return cudaErrorNotSupported;
}

bool stk_cuda_stem_wide_can(const stk_cuda_conv_args *args, const stk_cuda_stem_plan *plan,
                            bool by_weight)
{
    (void)args, (void)plan, (void)by_weight;
    return false;
}

cudaError_t stk_cuda_stem_wide_launch(const stk_cuda_conv_args *args,
                                      const stk_cuda_stem_plan *plan, cudaStream_t stream)
{
    (void)args, (void)plan, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t stk_cuda_stem_wide_weight_launch(const stk_cuda_conv_args *args,
                                             const stk_cuda_stem_plan *plan, cudaStream_t stream)
{
    (void)args, (void)plan, (void)stream;
    return cudaErrorNotSupported;
}

bool stk_cuda_conv3_can(int64_t batch, int64_t height, int64_t width)
{
    (void)batch, (void)height, (void)width;
    return false;
}

int stk_cuda_conv3_stats_partials(const stk_cuda_conv3_args *args)
{
    (void)args;
    return 0;
}

int stk_cuda_conv3_weight_partials(const stk_cuda_conv3_args *args)
{
    (void)args;
    return 0;
}

cudaError_t stk_cuda_conv3_launch(const stk_cuda_conv3_args *args, cudaStream_t stream)
{
    (void)args, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t stk_cuda_conv3_input_launch(const stk_cuda_conv3_args *args, cudaStream_t stream)
{
    (void)args, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t stk_cuda_conv3_weight_launch(const stk_cuda_conv3_args *args, cudaStream_t stream)
{
    (void)args, (void)stream;
    return cudaErrorNotSupported;
}
