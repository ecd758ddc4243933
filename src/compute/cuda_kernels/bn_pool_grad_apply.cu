/* dx: goes down x and the windows over it together. */
#include "compute/cuda_kernels/bn_grad.cuh"
#include "compute/cuda_kernels/bn_pool.h"
#include "compute/cuda_kernels/max_pool_3x3_grad.cuh"

namespace
{

using stk::UNITS;
using stk::WIDE;

constexpr int THREADS = 128, BLOCKS = 4;

struct grad_args {
    stk_cuda_bn_pool_grad_args call;
    stk::pool_plan             plan;
};

/* x below the windows: two rows of two, reloaded as soon as they are used. */
template <typename T> struct patch {
    const grad_args &a;
    float            scale[WIDE<T>], shift[WIDE<T>];
    uint32_t         x[2][2][UNITS];

    __device__ __forceinline__ explicit patch(const grad_args &args, int channel) : a(args)
    {
        stk::load_channels(a.call.bn.scale, a.call.bn.rows, channel, scale);
        stk::load_channels(a.call.bn.shift, a.call.bn.rows, channel, shift);
    }

    template <int I, int J>
    __device__ __forceinline__ void read(const stk::pool_grad_iter<T> &w, int further)
    {
        constexpr uint32_t NOTHING[UNITS] = {};
        stk::load_units((const T *)a.call.bn.x + w.at(a.call.pool, I + further, J),
                        w.has(a.call.pool, I + further, J), NOTHING, x[I][J]);
    }

    __device__ __forceinline__ void begin(const stk::pool_grad_iter<T> &w)
    {
        read<0, 0>(w, 0), read<0, 1>(w, 0);
        read<1, 0>(w, 0), read<1, 1>(w, 0);
    }

    /* Converts x to floats and loads the next below it. dz is 0 where relu was 0. */
    template <int I, int J>
    __device__ __forceinline__ void take(const stk::pool_grad_iter<T> &w, float (&to)[WIDE<T>],
                                         float (&dz)[WIDE<T>])
    {
        stk::line<T, WIDE<T>> line = {};
        line.words = {x[I][J][0], x[I][J][1], x[I][J][2], x[I][J][3]};
        stk::unpack(line, to);
        read<I, J>(w, 2);
#pragma unroll
        for (int k = 0; k < WIDE<T>; k++)
            dz[k] = fmaf(to[k], scale[k], shift[k]) > 0 ? dz[k] : 0;
    }
};

template <typename T> struct applying : patch<T> {
    stk::bn_grad_factors<WIDE<T>> f;

    __device__ __forceinline__ applying(const grad_args &args, int channel)
        : patch<T>(args, channel)
    {
        f.load(args.call.bn, channel);
    }

    template <int I, int J>
    __device__ __forceinline__ void index(const stk::pool_grad_iter<T> &w, float (&dz)[WIDE<T>])
    {
        float x[WIDE<T>];
        this->template take<I, J>(w, x, dz);
        f.apply(x, dz);
        if (w.has(this->a.call.pool, I, J))
            stk::store_line(x, (T *)this->a.call.bn.dx + w.at(this->a.call.pool, I, J));
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS, BLOCKS) grad_apply(const __grid_constant__ grad_args a)
{
    int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    stk::wait_for_earlier();
    if (item >= a.plan.items) return;
    stk::pool_spot         s = stk::pool_spot_of(a.plan, item);
    stk::pool_grad_iter<T> w;
    applying<T>            work(a, s.group * WIDE<T>);
    w.begin(a.call.pool, a.plan, s);
    work.begin(w);
    stk::pool_grad_down(a.call.pool, w, work);
}

template <typename T> cudaError_t start_apply(const grad_args *args, cudaStream_t stream)
{
    auto   *kernel = grad_apply<T>;
    int64_t blocks = (args->plan.items + THREADS - 1) / THREADS;
    return STK_CUDA_LAUNCH_EARLY(kernel, (int)blocks, THREADS, 0, stream, *args);
}

} // namespace

cudaError_t stk_cuda_bn_pool_grad_apply_launch(const stk_cuda_bn_pool_grad_args *args,
                                               cudaStream_t                      stream)
{
    if (args->pool.batch == 0 || args->pool.channels == 0) return cudaSuccess;
    grad_args a = {*args, stk::pool_plan_of(&args->pool, stk::pool_grad_side(args->pool.across),
                                            stk::pool_grad_side(args->pool.down), THREADS)};
    return STK_CUDA_FLOATS(args->pool.dtype, start_apply, &a, stream);
}
