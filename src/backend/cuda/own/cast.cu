/* Between float types: four elements an access, sixteen bytes of float32. What is no such float on
 * either side goes element by element, as the reference has it. */
#include "backend/cuda/own/batch.cuh"
#include "backend/cuda/own/cast.h"

namespace
{

constexpr int THREADS = 256, TURNS = 8, N = 4;
constexpr int CHUNK = THREADS * TURNS * N; /* elements of a block */
using table = stk::batch_table<2, STK_CUDA_CAST_ITEMS>;

template <typename F, typename T> __device__ __forceinline__ void cast_whole(const F *src, T *dst)
{
    float v[TURNS][N];
#pragma unroll
    for (int i = 0; i < TURNS; i++)
        stk::load_floats<F, N>(src + (i * THREADS + threadIdx.x) * N, v[i]);
#pragma unroll
    for (int i = 0; i < TURNS; i++)
        stk::store_floats<T, N>(v[i], dst + (i * THREADS + threadIdx.x) * N);
}

template <typename F, typename T>
__global__ void __launch_bounds__(THREADS) cast_floats(const __grid_constant__ table t)
{
    int      item = t.find(blockIdx.x);
    int64_t  begin = (int64_t)(blockIdx.x - t.first[item]) * CHUNK, left = t.count[item] - begin;
    const F *src = (const F *)t.at[0][item] + begin;
    T       *dst = (T *)t.at[1][item] + begin;
    stk::wait_for_earlier();
    if (left >= CHUNK) {
        cast_whole(src, dst);
        return;
    }
    for (int i = threadIdx.x; i < left; i += THREADS)
        stk::from_float(stk::to_float(src[i]), dst[i]);
}

struct number {
    double  real;
    int64_t whole;
    bool    is_real;
};

__device__ number load(int dtype, const void *src, int64_t i)
{
    switch (dtype) {
    case STK_DTYPE_U8:
    case STK_DTYPE_BOOL:
        return {0, ((const uint8_t *)src)[i], false};
    case STK_DTYPE_I8:
        return {0, ((const int8_t *)src)[i], false};
    case STK_DTYPE_I32:
        return {0, ((const int32_t *)src)[i], false};
    case STK_DTYPE_I64:
        return {0, ((const int64_t *)src)[i], false};
    case STK_DTYPE_F64:
        return {((const double *)src)[i], 0, true};
    case STK_DTYPE_F16:
        return {(double)stk::to_float(((const __half *)src)[i]), 0, true};
    case STK_DTYPE_BF16:
        return {(double)stk::to_float(((const __nv_bfloat16 *)src)[i]), 0, true};
    default:
        return {(double)((const float *)src)[i], 0, true};
    }
}

/* Towards zero; NaN is 0. */
__device__ int64_t whole_of(number n, int64_t low, int64_t high)
{
    if (!n.is_real) return n.whole < low ? low : n.whole > high ? high : n.whole;
    if (isnan(n.real)) return 0;
    if (n.real <= (double)low) return low;
    return n.real >= (double)high ? high : (int64_t)n.real;
}

__device__ void store(int dtype, void *dst, int64_t i, number n)
{
    double real = n.is_real ? n.real : (double)n.whole;
    switch (dtype) {
    case STK_DTYPE_BOOL:
        ((uint8_t *)dst)[i] = n.is_real ? n.real != 0 : n.whole != 0;
        break;
    case STK_DTYPE_U8:
        ((uint8_t *)dst)[i] = (uint8_t)whole_of(n, 0, UINT8_MAX);
        break;
    case STK_DTYPE_I8:
        ((int8_t *)dst)[i] = (int8_t)whole_of(n, INT8_MIN, INT8_MAX);
        break;
    case STK_DTYPE_I32:
        ((int32_t *)dst)[i] = (int32_t)whole_of(n, INT32_MIN, INT32_MAX);
        break;
    case STK_DTYPE_I64:
        ((int64_t *)dst)[i] = whole_of(n, INT64_MIN, INT64_MAX);
        break;
    case STK_DTYPE_F64:
        ((double *)dst)[i] = real;
        break;
    case STK_DTYPE_F16:
        stk::from_float((float)real, ((__half *)dst)[i]);
        break;
    case STK_DTYPE_BF16:
        stk::from_float((float)real, ((__nv_bfloat16 *)dst)[i]);
        break;
    default:
        ((float *)dst)[i] = (float)real;
    }
}

__global__ void __launch_bounds__(THREADS)
    cast_numbers(const __grid_constant__ table t, int from, int to)
{
    int     item = t.find(blockIdx.x);
    int64_t begin = (int64_t)(blockIdx.x - t.first[item]) * CHUNK;
    int64_t end = begin + CHUNK < t.count[item] ? begin + CHUNK : t.count[item];
    stk::wait_for_earlier();
    for (int64_t i = begin + threadIdx.x; i < end; i += THREADS)
        store(to, t.at[1][item], i, load(from, t.at[0][item], i));
}

template <typename F> void (*kernel_to(int to))(const table)
{
    return to == STK_DTYPE_F32    ? cast_floats<F, float>
           : to == STK_DTYPE_F16  ? cast_floats<F, __half>
           : to == STK_DTYPE_BF16 ? cast_floats<F, __nv_bfloat16>
                                  : nullptr;
}

void (*kernel_of(const stk_cuda_cast_attrs *a))(const table)
{
    return a->from == STK_DTYPE_F32    ? kernel_to<float>(a->to)
           : a->from == STK_DTYPE_F16  ? kernel_to<__half>(a->to)
           : a->from == STK_DTYPE_BF16 ? kernel_to<__nv_bfloat16>(a->to)
                                       : nullptr;
}

} // namespace

cudaError_t stk_cuda_cast_launch(const void *attrs, const stk_cuda_batch_item *const *items,
                                 int count, cudaStream_t stream)
{
    const stk_cuda_cast_attrs *a = (const stk_cuda_cast_attrs *)attrs;
    table                      t;
    int                        blocks = t.set(items, count, CHUNK);
    for (int i = 0; i < count; i++)
        t.at[0][i] = items[i]->in[0].at, t.at[1][i] = items[i]->out[0].at;
    auto *kernel = kernel_of(a);
    if (kernel) return STK_CUDA_LAUNCH_EARLY(kernel, blocks, THREADS, 0, stream, t);
    return STK_CUDA_LAUNCH_EARLY(cast_numbers, blocks, THREADS, 0, stream, t, a->from, a->to);
}
