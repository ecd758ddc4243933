/* One thread per channel; there are at most thousands. */
#include "compute/cuda_kernels/bn_vectors.cuh"

namespace
{

constexpr int THREADS = 128;

__global__ void __launch_bounds__(THREADS)
    make_vectors(const __grid_constant__ stk_cuda_bn_vectors_args a)
{
    stk::wait_for_earlier();
    int64_t c = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (c >= a.channels) return;
    stk::make_vectors_of(a, c, a.mean[c], a.var[c]);
}

} // namespace

cudaError_t stk_cuda_bn_vectors_launch(const stk_cuda_bn_vectors_args *args, cudaStream_t stream)
{
    if (args->channels == 0) return cudaSuccess;
    return STK_CUDA_LAUNCH_EARLY(make_vectors, stk::blocks_for(args->channels, THREADS, INT32_MAX),
                                 THREADS, 0, stream, *args);
}
