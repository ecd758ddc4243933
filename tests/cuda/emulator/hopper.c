/* Tensor cores are not emulated: no product fits them. */
#include "backend/cuda/own/hopper_product.h"

bool stk_cuda_product_fits(int64_t columns, int64_t depth, int tile, int results)
{
    (void)columns, (void)depth, (void)tile, (void)results;
    return false;
}

size_t stk_cuda_product_bytes(const stk_cuda_product_args *args)
{
    (void)args;
    return 0;
}

cudaError_t stk_cuda_product_stats_launch(const stk_cuda_product_args *args, cudaStream_t stream)
{
    (void)args, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t stk_cuda_product_sum_launch(const stk_cuda_product_args *args, cudaStream_t stream)
{
    (void)args, (void)stream;
    return cudaErrorNotSupported;
}

cudaError_t stk_cuda_product_norm_launch(const stk_cuda_product_args *args, cudaStream_t stream)
{
    (void)args, (void)stream;
    return cudaErrorNotSupported;
}
