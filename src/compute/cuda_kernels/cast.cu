/* Between floating-point types: four elements per access, 16 bytes of float32. Other types
 * elementwise, as the reference. */
#include "compute/cuda_kernels/cast.h"
#include "compute/cuda_kernels/multi_tensor.cuh"
#include "tensor/number.h"

namespace
{

constexpr int THREADS = 256, TURNS = 8, N = 4;
constexpr int CHUNK = THREADS * TURNS * N; /* elements per block */
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

__device__ stk_tensor_scalar load(int dtype, const void *src, int64_t i)
{
    if (dtype == STK_DTYPE_F16) return stk_number_float(stk::to_float(((const __half *)src)[i]));
    if (dtype == STK_DTYPE_BF16)
        return stk_number_float(stk::to_float(((const __nv_bfloat16 *)src)[i]));
    return stk_number_load(dtype, src, i);
}

__device__ void store(int dtype, void *dst, int64_t i, stk_tensor_scalar n)
{
    if (dtype == STK_DTYPE_F16)
        stk::from_float((float)stk_number_to_float(n), ((__half *)dst)[i]);
    else if (dtype == STK_DTYPE_BF16)
        stk::from_float((float)stk_number_to_float(n), ((__nv_bfloat16 *)dst)[i]);
    else
        stk_number_store(dtype, dst, i, n);
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

cudaError_t stk_cuda_cast_launch(const void *attrs, const stk_cuda_multi_tensor_item *const *items,
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
