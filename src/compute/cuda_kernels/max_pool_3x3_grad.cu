/* Each element of dx gathers from the windows over it. */
#include "compute/cuda_kernels/max_pool_3x3_grad.cuh"

namespace
{

using stk::WIDE;

constexpr int THREADS = 128, BLOCKS = 7;

struct grad_args {
    stk_cuda_pool_args pool;
    stk::pool_plan     plan;
};

template <typename T> struct writing {
    const stk_cuda_pool_args &a;

    template <int I, int J>
    __device__ __forceinline__ void index(const stk::pool_grad_iter<T> &w,
                                          const float (&dx)[WIDE<T>])
    {
        if (w.has(a, I, J)) stk::store_line(dx, (T *)a.dst + w.at(a, I, J));
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS, BLOCKS) largest_grad(const __grid_constant__ grad_args a)
{
    int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    stk::wait_for_earlier();
    if (item >= a.plan.items) return;
    stk::pool_grad_iter<T> w;
    writing<T>             work = {a.pool};
    w.begin(a.pool, a.plan, stk::pool_spot_of(a.plan, item));
    stk::pool_grad_down(a.pool, w, work);
}

template <typename T> cudaError_t start(const grad_args *args, cudaStream_t stream)
{
    auto   *kernel = largest_grad<T>;
    int64_t blocks = (args->plan.items + THREADS - 1) / THREADS;
    return STK_CUDA_LAUNCH_EARLY(kernel, (int)blocks, THREADS, 0, stream, *args);
}

} // namespace

cudaError_t stk_cuda_max_pool_3x3_grad_launch(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    grad_args a = {*args, stk::pool_plan_of(args, stk::pool_grad_side(args->across),
                                            stk::pool_grad_side(args->down), THREADS)};
    return STK_CUDA_FLOATS(args->dtype, start, &a, stream);
}
