/* Kernel launches and shared memory. Compiled by nvcc, or by a C++ compiler for an emulator that
 * runs threads one after another, so that kernels are tested without a GPU. */
#ifndef STK_COMPUTE_CUDA_KERNELS_LAUNCH_CUH
#define STK_COMPUTE_CUDA_KERNELS_LAUNCH_CUH

#ifdef __CUDACC__
#include <cuda_runtime.h>

/* kernel: a function; of a template, take a pointer to the instance first. */
/* clang-format off */
#define STK_CUDA_LAUNCH(kernel, blocks, threads, shared, stream, ...)                              \
    ((kernel)<<<(blocks), (threads), (shared), (stream)>>>(__VA_ARGS__), cudaGetLastError())
/* clang-format on */
/* For kernels that start with stk::wait_for_earlier: programmatic dependent launch, which overlaps
 * with the end of the previous kernel. */
#define STK_CUDA_LAUNCH_EARLY(kernel, blocks, threads, shared, stream, ...)                        \
    stk::launch_early((kernel), 1, (blocks), (threads), (shared), (stream), __VA_ARGS__)
/* The same in clusters of blocks adjacent in x; 1: on any GPU. */
#define STK_CUDA_LAUNCH_CLUSTER(kernel, cluster, blocks, threads, shared, stream, ...)             \
    stk::launch_early((kernel), (cluster), (blocks), (threads), (shared), (stream), __VA_ARGS__)
/* Dynamic shared memory, 16-byte aligned. */
#define STK_CUDA_DYNAMIC(type, name)                                                               \
    extern __shared__ __align__(16) unsigned char stk_cuda_dynamic_[];                             \
    type                                         *name = reinterpret_cast<type *>(stk_cuda_dynamic_)
#else
#include <emulate.hpp>
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <stoker/tensor.h>

namespace stk
{

constexpr int WARP = 32;

/* Converts elements to float and back, rounding to nearest. */
__device__ __forceinline__ float to_float(float x)
{
    return x;
}
__device__ __forceinline__ float to_float(__half x)
{
    return __half2float(x);
}
__device__ __forceinline__ float to_float(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}
__device__ __forceinline__ void from_float(float x, float &to)
{
    to = x;
}
__device__ __forceinline__ void from_float(float x, __half &to)
{
    to = __float2half_rn(x);
}
__device__ __forceinline__ void from_float(float x, __nv_bfloat16 &to)
{
    to = __float2bfloat16_rn(x);
}

/* N elements read or written as one access of up to 16 bytes. */
template <typename T, int N> struct alignas(sizeof(T) * N) pack {
    T at[N];
};

template <typename T> constexpr int WIDE = 16 / sizeof(T); /* elements of the widest access */

template <typename T, int N>
__device__ __forceinline__ void load_floats(const T *from, float (&to)[N])
{
    pack<T, N> p = *reinterpret_cast<const pack<T, N> *>(from);
#pragma unroll
    for (int i = 0; i < N; i++)
        to[i] = to_float(p.at[i]);
}

template <typename T, int N>
__device__ __forceinline__ void store_floats(const float (&from)[N], T *to)
{
    pack<T, N> p;
#pragma unroll
    for (int i = 0; i < N; i++)
        from_float(from[i], p.at[i]);
    *reinterpret_cast<pack<T, N> *>(to) = p;
}

/* Sum over a warp, in every lane, in a fixed order. */
__device__ __forceinline__ float warp_sum(float x)
{
#pragma unroll
    for (int d = WARP / 2; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

/* First call of kernels launched by STK_CUDA_LAUNCH_EARLY, in all threads: allows the next kernel
 * to launch, then waits until earlier kernels have completed and their writes are visible. */
__device__ __forceinline__ void wait_for_earlier()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#ifdef __CUDACC__
/* Whether a kernel has code for 9.0 or later; builds for earlier GPUs run there too,
 * JIT-compiled. */
inline bool made_for_90(const void *kernel)
{
    cudaFuncAttributes found;
    if (cudaFuncGetAttributes(&found, kernel) == cudaSuccess) return found.ptxVersion >= 90;
    (void)cudaGetLastError();
    return false;
}

/* Clears the error after reading it, or the next launch would return it. */
inline cudaError_t take_error(cudaError_t code)
{
    if (code != cudaSuccess) (void)cudaGetLastError();
    return code;
}

template <typename... FORMAL, typename... GIVEN>
inline cudaError_t launch_early(void (*kernel)(FORMAL...), unsigned cluster, dim3 blocks,
                                dim3 threads, size_t shared, cudaStream_t stream, GIVEN &&...given)
{
    static const bool   early = made_for_90((const void *)kernel);
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t  config = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {cluster, 1, 1};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = !early ? 0 : cluster == 1 ? 1 : 2;
    return take_error(cudaLaunchKernelEx(&config, kernel, static_cast<GIVEN &&>(given)...));
}

/* Allows a kernel more dynamic shared memory than the default. */
template <typename KERNEL> inline cudaError_t allow_shared(KERNEL *kernel, int bytes)
{
    return take_error(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}
#endif

inline int blocks_for(int64_t items, int per_block, int64_t most = 1 << 20)
{
    int64_t blocks = (items + per_block - 1) / per_block;
    return (int)(blocks < 1 ? 1 : blocks > most ? most : blocks);
}

} // namespace stk

/* Calls f<T>(...) with the element type of an stk_dtype; cudaErrorInvalidValue for others. */
#define STK_CUDA_FLOATS(dtype, f, ...)                                                             \
    ((dtype) == STK_DTYPE_F32    ? f<float>(__VA_ARGS__)                                           \
     : (dtype) == STK_DTYPE_F16  ? f<__half>(__VA_ARGS__)                                          \
     : (dtype) == STK_DTYPE_BF16 ? f<__nv_bfloat16>(__VA_ARGS__)                                   \
                                 : cudaErrorInvalidValue)

#endif
