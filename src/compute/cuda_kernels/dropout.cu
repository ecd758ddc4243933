/* Uses the words of base/philox.h, so that every backend drops the same elements. */
#include "compute/cuda_kernels/dropout.h"
#include "compute/cuda_kernels/launch.cuh"

namespace
{

constexpr int THREADS = 256, ROUNDS = 10;

struct words {
    uint32_t at[4];
};

/* The Philox block shared by elements 4 block to 4 block + 3. */
__device__ __forceinline__ words draw(const stk_cuda_dropout_args &args, uint64_t step,
                                      uint64_t block)
{
    uint32_t a = (uint32_t)block, b = (uint32_t)(block >> 32), c = (uint32_t)step, d = args.stream;
    uint32_t k0 = (uint32_t)args.seed, k1 = (uint32_t)(args.seed >> 32) ^ (uint32_t)(step >> 32);
#pragma unroll
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t left = (uint64_t)0xD2511F53u * a, right = (uint64_t)0xCD9E8D57u * c;
        a = (uint32_t)(right >> 32) ^ b ^ k0;
        b = (uint32_t)right;
        c = (uint32_t)(left >> 32) ^ d ^ k1;
        d = (uint32_t)left;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return {{a, b, c, d}};
}

__device__ __forceinline__ float factor(const stk_cuda_dropout_args &args, uint32_t word)
{
    return word >= args.keep_from ? args.scale : 0;
}

/* Dropped elements are 0, even if they were NaN. */
__device__ __forceinline__ float keep(float x, float by)
{
    return by != 0 ? x * by : 0;
}

template <typename T>
__global__ void __launch_bounds__(THREADS) elements(stk_cuda_dropout_args args)
{
    constexpr int N = stk::WIDE<T>;
    const T      *x = (const T *)args.x;
    T            *y = (T *)args.y;
    int64_t       at = (int64_t)blockIdx.x * THREADS + threadIdx.x, wide = args.count / N;
    int64_t       apart = (int64_t)gridDim.x * THREADS;
    uint64_t      step = (uint64_t)*args.step;
    for (int64_t i = at; i < wide; i += apart) {
        float v[N];
        stk::load_floats<T, N>(x + i * N, v);
#pragma unroll
        for (int b = 0; b < N / 4; b++) {
            words w = draw(args, step, (uint64_t)i * (N / 4) + b);
#pragma unroll
            for (int k = 0; k < 4; k++)
                v[b * 4 + k] = keep(v[b * 4 + k], factor(args, w.at[k]));
        }
        stk::store_floats<T, N>(v, y + i * N);
    }
    for (int64_t i = wide * N + at; i < args.count; i += apart) {
        words w = draw(args, step, (uint64_t)i / 4);
        stk::from_float(keep(stk::to_float(x[i]), factor(args, w.at[i % 4])), y[i]);
    }
}

/* Several blocks per row, so that one random number serves many elements. */
template <typename T, int N>
__global__ void __launch_bounds__(THREADS)
    rows(stk_cuda_dropout_args args, int64_t count, int per_row)
{
    uint64_t step = (uint64_t)*args.step;
    int64_t  part = blockIdx.x % per_row;
    for (int64_t r = blockIdx.x / per_row; r < count; r += gridDim.x / per_row) {
        words    w = draw(args, step, (uint64_t)r / 4);
        float    by = factor(args, w.at[r % 4]);
        const T *x = (const T *)args.x + r * args.group_size;
        T       *y = (T *)args.y + r * args.group_size;
        for (int64_t i = (part * THREADS + threadIdx.x) * N; i < args.group_size;
             i += (int64_t)per_row * THREADS * N) {
            float v[N];
            stk::load_floats<T, N>(x + i, v);
#pragma unroll
            for (int k = 0; k < N; k++)
                v[k] = keep(v[k], by);
            stk::store_floats<T, N>(v, y + i);
        }
    }
}

template <typename T> cudaError_t start_rows(const stk_cuda_dropout_args *a, cudaStream_t stream)
{
    bool    wide = a->group_size % stk::WIDE<T> == 0;
    auto   *kernel = wide ? rows<T, stk::WIDE<T>> : rows<T, 1>;
    int64_t count = a->count / a->group_size;
    int     per_row = stk::blocks_for(a->group_size, THREADS * 4 * (wide ? stk::WIDE<T> : 1), 64);
    int     blocks = stk::blocks_for(count, 1, 1 << 16) * per_row;
    return STK_CUDA_LAUNCH(kernel, blocks, THREADS, 0, stream, *a, count, per_row);
}

template <typename T> cudaError_t start(const stk_cuda_dropout_args *a, cudaStream_t stream)
{
    if (a->group_size > 1) return start_rows<T>(a, stream);
    auto *kernel = elements<T>;
    int   blocks = stk::blocks_for(a->count, THREADS * stk::WIDE<T>);
    return STK_CUDA_LAUNCH(kernel, blocks, THREADS, 0, stream, *a);
}

} // namespace

cudaError_t stk_cuda_dropout_launch(const stk_cuda_dropout_args *args, cudaStream_t stream)
{
    if (args->count == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
