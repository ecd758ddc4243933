/* Both halves of the gradient go down x and the windows over it together. */
#include "backend/cuda/own/bn_grad.cuh"
#include "backend/cuda/own/bn_pool.h"
#include "backend/cuda/own/max_pool_3x3_grad.cuh"

namespace
{

using stk::UNITS;
using stk::WIDE;

enum { WITH_X, SUM, VALUES = STK_CUDA_BN_GRAD_VALUES };

constexpr int THREADS = 128, BLOCKS = 4; /* that apply */

struct grad_args {
    stk_cuda_bn_pool_grad_args own;
    stk::pool_plan             plan;
};

/* x below the windows: two rows of two, each read again as soon as it is used. */
template <typename T> struct patch {
    const grad_args &a;
    float            scale[WIDE<T>], shift[WIDE<T>];
    uint32_t         x[2][2][UNITS];

    __device__ __forceinline__ explicit patch(const grad_args &args, int channel) : a(args)
    {
        stk::load_channels(a.own.bn.scale, a.own.bn.rows, channel, scale);
        stk::load_channels(a.own.bn.shift, a.own.bn.rows, channel, shift);
    }

    template <int I, int J>
    __device__ __forceinline__ void read(const stk::pool_grad_walk<T> &w, int further)
    {
        constexpr uint32_t NOTHING[UNITS] = {};
        stk::load_units((const T *)a.own.bn.x + w.at(a.own.pool, I + further, J),
                        w.has(a.own.pool, I + further, J), NOTHING, x[I][J]);
    }

    __device__ __forceinline__ void begin(const stk::pool_grad_walk<T> &w)
    {
        read<0, 0>(w, 0), read<0, 1>(w, 0);
        read<1, 0>(w, 0), read<1, 1>(w, 0);
    }

    /* x as floats, and the next below it is read; dz is 0 where relu was. */
    template <int I, int J>
    __device__ __forceinline__ void take(const stk::pool_grad_walk<T> &w, float (&to)[WIDE<T>],
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

template <typename T> struct summing : patch<T> {
    float mean[WIDE<T>], v[VALUES][WIDE<T>] = {};

    __device__ __forceinline__ summing(const grad_args &args, int channel) : patch<T>(args, channel)
    {
        stk::load_channels(args.own.bn.mean, args.own.bn.rows, channel, mean);
    }

    template <int I, int J>
    __device__ __forceinline__ void place(const stk::pool_grad_walk<T> &w, float (&dz)[WIDE<T>])
    {
        float x[WIDE<T>];
        bool  there = w.has(this->a.own.pool, I, J);
        this->template take<I, J>(w, x, dz);
        if (!there) return;
#pragma unroll
        for (int k = 0; k < WIDE<T>; k++) {
            v[WITH_X][k] = fmaf(dz[k], x[k] - mean[k], v[WITH_X][k]);
            v[SUM][k] += dz[k];
        }
    }
};

template <typename T> struct applying : patch<T> {
    stk::bn_grad_factors<WIDE<T>> f;

    __device__ __forceinline__ applying(const grad_args &args, int channel)
        : patch<T>(args, channel)
    {
        f.load(args.own.bn, channel);
    }

    template <int I, int J>
    __device__ __forceinline__ void place(const stk::pool_grad_walk<T> &w, float (&dz)[WIDE<T>])
    {
        float x[WIDE<T>];
        this->template take<I, J>(w, x, dz);
        f.apply(x, dz);
        if (w.has(this->a.own.pool, I, J))
            stk::store_line(x, (T *)this->a.own.bn.dx + w.at(this->a.own.pool, I, J));
    }
};

template <typename T> __device__ __noinline__ void finish(const grad_args &a, float *shared)
{
    const stk_cuda_bn_grad_args &bn = a.own.bn;
    double                       all[VALUES];
    int64_t                      channel = stk::sum_parts<VALUES>(bn.parts, bn.rows, shared, all);
    if (channel < 0) return;
    bn.dgamma[channel] = (float)(all[WITH_X] * (double)bn.invstd[channel]);
    bn.dbeta[channel] = (float)all[SUM];
}

/* From the last to the first, as all sums. */
template <typename T>
__global__ void __launch_bounds__(STK_CUDA_BN_POOL_THREADS)
    grad_sums(const __grid_constant__ grad_args a)
{
    STK_CUDA_DYNAMIC(float, shared);
    const stk_cuda_rows &r = a.own.bn.rows;
    int                  group = (int)blockIdx.y * r.across + (int)threadIdx.x % r.across;
    int64_t              step = (int64_t)gridDim.x * r.down;
    int64_t              item = (int64_t)blockIdx.x * r.down + (int)threadIdx.x / r.across;
    stk::wait_for_earlier();
    summing<T> work(a, group * WIDE<T>);
    if (group * WIDE<T> >= r.channels) item = a.plan.items;
    for (; item < a.plan.items; item += step) {
        stk::pool_grad_walk<T> w;
        stk::pool_spot         s = stk::pool_spot_of(a.plan, a.plan.items - 1 - item);
        s.group = group;
        w.begin(a.own.pool, a.plan, s);
        work.begin(w);
        stk::pool_grad_down(a.own.pool, w, work);
    }
    stk::leave_sums<VALUES, WIDE<T>>(work.v, r, a.own.bn.parts, VALUES, 0, shared);
    if (stk::is_last_block(a.own.bn.counters, r.blocks)) finish<T>(a, shared);
}

template <typename T>
__global__ void __launch_bounds__(THREADS, BLOCKS) grad_apply(const __grid_constant__ grad_args a)
{
    int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    stk::wait_for_earlier();
    if (item >= a.plan.items) return;
    stk::pool_spot         s = stk::pool_spot_of(a.plan, item);
    stk::pool_grad_walk<T> w;
    applying<T>            work(a, s.group * WIDE<T>);
    w.begin(a.own.pool, a.plan, s);
    work.begin(w);
    stk::pool_grad_down(a.own.pool, w, work);
}

/* The ways to divide a column between threads that all walk at once: as many turns as it takes,
 * each of some rows and of getting there. */
stk::pool_plan plan_of_sums(const stk_cuda_bn_pool_grad_args *args)
{
    constexpr int64_t LONGEST = 32, BEGIN = 2;
    int               rows = stk::pool_grad_side(args->pool.down);
    int64_t           lanes = (int64_t)args->bn.rows.blocks * args->bn.rows.down, least = INT64_MAX;
    stk::pool_plan    best = {1, stk::pool_grad_side(args->pool.across), 0, 0, 0};
    for (int length = 1; length <= LONGEST && length <= rows; length++) {
        int     segments = (rows + length - 1) / length;
        int64_t items = args->pool.batch * segments * best.columns;
        int64_t cost = (items + lanes - 1) / lanes * (length + BEGIN);
        if (cost >= least) continue;
        least = cost;
        best.segments = segments, best.rows = length, best.items = items;
    }
    return best;
}

template <typename T> cudaError_t start_sums(const grad_args *args, cudaStream_t stream)
{
    const stk_cuda_rows &r = args->own.bn.rows;
    auto                *kernel = grad_sums<T>;
    return STK_CUDA_LAUNCH_EARLY(kernel, dim3((unsigned)r.blocks, (unsigned)r.tiles),
                                 r.across * r.down, stk::bytes_to_sum(r, VALUES), stream, *args);
}

template <typename T> cudaError_t start_apply(const grad_args *args, cudaStream_t stream)
{
    auto   *kernel = grad_apply<T>;
    int64_t blocks = (args->plan.items + THREADS - 1) / THREADS;
    return STK_CUDA_LAUNCH_EARLY(kernel, (int)blocks, THREADS, 0, stream, *args);
}

} // namespace

cudaError_t stk_cuda_bn_pool_grad_sums_launch(const stk_cuda_bn_pool_grad_args *args,
                                              cudaStream_t                      stream)
{
    if (args->pool.channels == 0) return cudaSuccess;
    grad_args a = {*args, plan_of_sums(args)};
    return STK_CUDA_FLOATS(args->pool.dtype, start_sums, &a, stream);
}

cudaError_t stk_cuda_bn_pool_grad_apply_launch(const stk_cuda_bn_pool_grad_args *args,
                                               cudaStream_t                      stream)
{
    if (args->pool.batch == 0 || args->pool.channels == 0) return cudaSuccess;
    grad_args a = {*args, stk::pool_plan_of(&args->pool, stk::pool_grad_side(args->pool.across),
                                            stk::pool_grad_side(args->pool.down), THREADS)};
    return STK_CUDA_FLOATS(args->pool.dtype, start_apply, &a, stream);
}
