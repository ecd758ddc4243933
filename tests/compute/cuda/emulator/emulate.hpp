/* CUDA's thread model on one CPU thread: each thread of a block is a fiber, a barrier switches to
 * the next. Blocks run in sequence, those of a cluster together. For tests of kernels without a
 * GPU: it finds wrong indices and missing writes (with ASan, wrong addresses), not races between
 * blocks. */
#ifndef STK_TESTS_EMULATE_HPP
#define STK_TESTS_EMULATE_HPP

#include <cuda_runtime_api.h>
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#undef __global__
#undef __device__
#undef __shared__
#undef __constant__
#undef __forceinline__
#undef __noinline__
#undef __launch_bounds__
#undef __grid_constant__
#undef __restrict__
#define __global__
#define __device__
#define __shared__ static
#define __constant__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __restrict__ __restrict

namespace stk_emulated
{

extern uint3 thread_at, block_at;
extern dim3  block_size, grid_size;

/* Calls thread with body in each thread. cluster: adjacent blocks in x, a divisor of their number.
 * __shared__ variables are common to all blocks of a cluster, so kernels with clusters use dynamic
 * memory only. Without memory for the threads it fails as a GPU would. */
cudaError_t    run(dim3 blocks, dim3 threads, size_t shared, void (*thread)(const void *body),
                   const void *body, unsigned cluster) noexcept;
unsigned char *dynamic();
void           block_barrier();
void           cluster_barrier();
/* Address of this dynamic memory in another block of the cluster. */
void *dynamic_of(void *here, int block);
int   block_count(bool x); /* number of threads of the block with x; also a barrier */
void  warp_barrier(unsigned mask);
/* Every lane of mask gives bytes and receives those of lane `from` (its own if that is
 * inactive). */
void     exchange(unsigned mask, const void *give, int from, void *take, size_t size);
unsigned ballot(unsigned mask, bool x);
int      lane();

template <typename Body>
cudaError_t launch(dim3 blocks, dim3 threads, size_t shared, const Body &body, unsigned cluster = 1)
{
    return run(
        blocks, threads, shared, [](const void *one) { (*static_cast<const Body *>(one))(); },
        &body, cluster);
}

template <typename T> T shuffle(unsigned mask, T x, int from)
{
    T y;
    exchange(mask, &x, from, &y, sizeof x);
    return y;
}

} // namespace stk_emulated

#define threadIdx (stk_emulated::thread_at)
#define blockIdx (stk_emulated::block_at)
#define blockDim (stk_emulated::block_size)
#define gridDim (stk_emulated::grid_size)

#define STK_CUDA_LAUNCH(kernel, blocks, threads, shared, stream, ...)                              \
    ((void)(stream),                                                                               \
     stk_emulated::launch((blocks), (threads), (shared), [&] { kernel(__VA_ARGS__); }))
#define STK_CUDA_LAUNCH_EARLY STK_CUDA_LAUNCH
#define STK_CUDA_LAUNCH_CLUSTER(kernel, cluster, blocks, threads, shared, stream, ...)             \
    ((void)(stream),                                                                               \
     stk_emulated::launch((blocks), (threads), (shared), [&] { kernel(__VA_ARGS__); }, (cluster)))
#define STK_CUDA_DYNAMIC(type, name) type *name = reinterpret_cast<type *>(stk_emulated::dynamic())

inline void __syncthreads()
{
    stk_emulated::block_barrier();
}
inline int __syncthreads_or(int x)
{
    return stk_emulated::block_count(x != 0) != 0;
}
inline int __syncthreads_count(int x)
{
    return stk_emulated::block_count(x != 0);
}
inline void __threadfence()
{
}
inline void __threadfence_block()
{
}
inline void __syncwarp(unsigned mask = 0xffffffffu)
{
    stk_emulated::warp_barrier(mask);
}
template <typename T> T __shfl_sync(unsigned mask, T x, int from, int width = 32)
{
    return stk_emulated::shuffle(mask, x,
                                 (stk_emulated::lane() & ~(width - 1)) | (from & (width - 1)));
}
template <typename T> T __shfl_xor_sync(unsigned mask, T x, int by, int width = 32)
{
    (void)width;
    return stk_emulated::shuffle(mask, x, stk_emulated::lane() ^ by);
}
template <typename T> T __shfl_down_sync(unsigned mask, T x, int by, int width = 32)
{
    int at = stk_emulated::lane() & (width - 1);
    return stk_emulated::shuffle(mask, x, stk_emulated::lane() + (at + by < width ? by : 0));
}
template <typename T> T __shfl_up_sync(unsigned mask, T x, int by, int width = 32)
{
    int at = stk_emulated::lane() & (width - 1);
    return stk_emulated::shuffle(mask, x, stk_emulated::lane() - (at - by >= 0 ? by : 0));
}
inline unsigned __ballot_sync(unsigned mask, int x)
{
    return stk_emulated::ballot(mask, x != 0);
}
inline int __any_sync(unsigned mask, int x)
{
    return __ballot_sync(mask, x) != 0;
}
inline int __all_sync(unsigned mask, int x)
{
    return __ballot_sync(mask, x) == mask;
}
template <typename T> T atomicAdd(T *at, T x)
{
    T before = *at;
    *at = before + x;
    return before;
}
template <typename T> T atomicMax(T *at, T x)
{
    T before = *at;
    if (x > before) *at = x;
    return before;
}
template <typename T> T atomicExch(T *at, T x)
{
    T before = *at;
    *at = x;
    return before;
}
template <typename T> T atomicOr(T *at, T x)
{
    T before = *at;
    *at = before | x;
    return before;
}
template <typename T> T __ldg(const T *at)
{
    return *at;
}
template <typename T> T __ldcg(const T *at)
{
    return *at;
}
template <typename T> T __ldcs(const T *at)
{
    return *at;
}
template <typename T> void __stcs(T *at, T x)
{
    *at = x;
}
/* Copies complete at once. */
inline void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0)
{
    memcpy(to, from, size - zeros);
    memset((char *)to + size - zeros, 0, zeros);
}
inline void __pipeline_commit()
{
}
inline void __pipeline_wait_prior(size_t)
{
}
inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
inline float __fdividef(float a, float b)
{
    return a / b;
}
inline float __fmul_rn(float a, float b)
{
    return a * b;
}
inline float __fadd_rn(float a, float b)
{
    return a + b;
}
inline float __saturatef(float x)
{
    return x >= 1 ? 1 : x > 0 ? x : 0;
}
/* For sums that fit a double. */
inline float __fadd_rz(float a, float b)
{
    double exact = (double)a + b;
    float  near = (float)exact;
    return fabs((double)near) > fabs(exact) ? nextafterf(near, 0) : near;
}
inline double __dadd_rd(double a, double b)
{
    volatile double x = a;
    fesetround(FE_DOWNWARD);
    x = x + b;
    fesetround(FE_TONEAREST);
    return x;
}
inline double __hiloint2double(int high, int low)
{
    uint64_t bits = (uint64_t)(unsigned)high << 32 | (unsigned)low;
    double   x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
inline int __double2hiint(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 32);
}
inline int __double2loint(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)bits;
}
inline float __expf(float x)
{
    return expf(x);
}
inline float __logf(float x)
{
    return logf(x);
}
inline float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}
inline double rsqrt(double x)
{
    return 1 / sqrt(x);
}
inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)(((uint64_t)a * b) >> 32);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned select)
{
    uint64_t bytes = (uint64_t)high << 32 | low;
    unsigned y = 0;
    for (int i = 0; i < 4; i++)
        y |= (unsigned)(bytes >> (8 * (select >> (4 * i) & 7)) & 255) << (8 * i);
    return y;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (by & 31));
}
inline unsigned __float_as_uint(float x)
{
    unsigned y;
    memcpy(&y, &x, sizeof y);
    return y;
}
inline float __uint_as_float(unsigned x)
{
    float y;
    memcpy(&y, &x, sizeof y);
    return y;
}
inline int __float_as_int(float x)
{
    return (int)__float_as_uint(x);
}
inline float __int_as_float(int x)
{
    return __uint_as_float((unsigned)x);
}
inline int min(int a, int b)
{
    return a < b ? a : b;
}
inline int max(int a, int b)
{
    return a > b ? a : b;
}

#endif
