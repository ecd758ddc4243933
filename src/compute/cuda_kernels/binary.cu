/* Equal shapes: 16-byte accesses, four in flight per tensor. Others: by tensor iterator, a piece of
 * a row at a time. */
#include "compute/cuda_kernels/binary.h"
#include "compute/cuda_kernels/tensor_iter.cuh"

namespace
{

constexpr int THREADS = 256, TURNS = 4;

template <bool MULTIPLY> __device__ __forceinline__ float combine(float a, float b, float sign)
{
    return MULTIPLY ? a * b : a + sign * b;
}

template <typename T, bool MULTIPLY>
__device__ __forceinline__ void whole_block(const T *a, const T *b, T *out, float sign)
{
    constexpr int   N = stk::WIDE<T>;
    stk::pack<T, N> x[TURNS], y[TURNS];
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
        int at = (i * THREADS + threadIdx.x) * N;
        x[i] = *reinterpret_cast<const stk::pack<T, N> *>(a + at);
        y[i] = *reinterpret_cast<const stk::pack<T, N> *>(b + at);
    }
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
#pragma unroll
        for (int k = 0; k < N; k++)
            stk::from_float(
                combine<MULTIPLY>(stk::to_float(x[i].at[k]), stk::to_float(y[i].at[k]), sign),
                x[i].at[k]);
        *reinterpret_cast<stk::pack<T, N> *>(out + (i * THREADS + threadIdx.x) * N) = x[i];
    }
}

template <typename T, bool MULTIPLY>
__global__ void __launch_bounds__(THREADS)
    equal_shapes(const T *a, const T *b, T *out, int64_t count, float sign)
{
    stk::wait_for_earlier();
    constexpr int CHUNK = THREADS * TURNS * stk::WIDE<T>;
    int64_t       begin = (int64_t)blockIdx.x * CHUNK, left = count - begin;
    a += begin, b += begin, out += begin;
    if (left >= CHUNK) {
        whole_block<T, MULTIPLY>(a, b, out, sign);
        return;
    }
    for (int i = threadIdx.x; i < left; i += THREADS)
        stk::from_float(combine<MULTIPLY>(stk::to_float(a[i]), stk::to_float(b[i]), sign), out[i]);
}

template <typename T, int N>
__device__ __forceinline__ void load_row(const T *from, bool repeated, float (&to)[N])
{
    if (!repeated) {
        stk::load_floats<T, N>(from, to);
        return;
    }
    float x = stk::to_float(*from);
#pragma unroll
    for (int i = 0; i < N; i++)
        to[i] = x;
}

template <typename T, typename B, int N, bool MULTIPLY>
__global__ void __launch_bounds__(THREADS)
    strided(const T *a, const B *b, T *out, const __grid_constant__ stk::strided_iter iter,
            float sign)
{
    stk::wait_for_earlier();
    bool     one_a = iter.step[0][iter.rank - 1] == 0, one_b = iter.step[1][iter.rank - 1] == 0;
    uint32_t step = gridDim.x * THREADS;
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < iter.pieces; i += step) {
        int64_t at[3];
        float   x[N], y[N];
        iter.find(i, at);
        load_row<T, N>(a + at[0], one_a, x);
        load_row<B, N>(b + at[1], one_b, y);
#pragma unroll
        for (int k = 0; k < N; k++)
            x[k] = combine<MULTIPLY>(x[k], y[k], sign);
        stk::store_floats<T, N>(x, out + at[2]);
    }
}

template <typename T, bool MULTIPLY>
cudaError_t start_equal(const stk_cuda_binary_args *p, cudaStream_t stream)
{
    auto *kernel = equal_shapes<T, MULTIPLY>;
    int   blocks = stk::blocks_for(p->count, THREADS * TURNS * stk::WIDE<T>, INT32_MAX);
    return STK_CUDA_LAUNCH_EARLY(kernel, blocks, THREADS, 0, stream, (const T *)p->a,
                                 (const T *)p->b, (T *)p->out, p->count, p->sign);
}

template <typename T, typename B, bool MULTIPLY>
cudaError_t start_walked(const stk_cuda_binary_args *p, cudaStream_t stream)
{
    constexpr int N = stk::WIDE<T>;
    const int64_t from[STK_CUDA_ITER_TENSORS] = {0, 0, 0};
    auto         *kernel = p->pieces ? strided<T, B, N, MULTIPLY> : strided<T, B, 1, MULTIPLY>;
    return stk::iter_in_parts(
        p->iter, from,
        [&](const stk_cuda_tensor_iter &iter, const int64_t(&at)[STK_CUDA_ITER_TENSORS]) {
            stk::strided_iter w;
            w.set(iter, p->pieces ? N : 1);
            return STK_CUDA_LAUNCH_EARLY(kernel, stk::blocks_for(w.pieces, THREADS), THREADS, 0,
                                         stream, (const T *)p->a + at[0], (const B *)p->b + at[1],
                                         (T *)p->out + at[2], w, p->sign);
        });
}

template <typename T> cudaError_t start(const stk_cuda_binary_args *p, cudaStream_t stream)
{
    if (p->count && p->dtype == p->b_dtype)
        return p->multiply ? start_equal<T, true>(p, stream) : start_equal<T, false>(p, stream);
    if (p->b_dtype != p->dtype) return start_walked<T, float, false>(p, stream);
    return p->multiply ? start_walked<T, T, true>(p, stream) : start_walked<T, T, false>(p, stream);
}

} // namespace

cudaError_t stk_cuda_binary_launch(const stk_cuda_binary_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}
