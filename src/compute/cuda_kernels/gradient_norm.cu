/* One block per chunk, four 16-byte accesses in flight per thread; then one block adds all chunks.
 * Sums are float32 within a thread (at most 32 elements), double beyond. A square above FLT_MAX
 * makes the sum infinite, as rounding the total would. */
#include "compute/cuda_kernels/channel_rows.cuh"
#include "compute/cuda_kernels/chunks.cuh"
#include "compute/cuda_kernels/gradient_norm.h"

namespace
{

constexpr int THREADS = 256, TOTAL_THREADS = 1024, AHEAD = 4;

struct part {
    float squares;
    int   not_finite;
};

__device__ __forceinline__ void add(float x, part &p)
{
    bool finite = isfinite(x);
    p.squares += finite ? x * x : 0;
    p.not_finite += !finite;
}

/* Elements of an access are tested one by one only if their sum is not finite. */
template <int N> __device__ __forceinline__ void add_all(const float (&x)[N], part &p)
{
    float sum = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        sum += x[i] * x[i];
    if (isfinite(sum)) {
        p.squares += sum;
        return;
    }
    for (int i = 0; i < N; i++)
        add(x[i], p);
}

template <typename T> __device__ part sum_chunk(const T *x, int count)
{
    constexpr int N = stk::WIDE<T>;
    int           accesses = count / N;
    part          p = {0, 0};
    for (int i = threadIdx.x; i < accesses; i += THREADS * AHEAD) {
        stk::line<T, N> of[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            of[k] = stk::load_line<T, N>(x + (i + k * THREADS) * N, i + k * THREADS < accesses);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            float v[N];
            if (i + k * THREADS >= accesses) break;
            stk::unpack(of[k], v);
            add_all<N>(v, p);
        }
    }
    int at = accesses * N + (int)threadIdx.x;
    if (at < count) add(stk::to_float(x[at]), p);
    return p;
}

template <typename T> __device__ part sum_of(const stk_cuda_norm_table &t, int tensor)
{
    int64_t begin = (int64_t)((int)blockIdx.x - t.first[tensor]) * STK_CUDA_NORM_CHUNK;
    int64_t left = t.count[tensor] - begin;
    return sum_chunk((const T *)t.data[tensor] + begin,
                     (int)(left < STK_CUDA_NORM_CHUNK ? left : STK_CUDA_NORM_CHUNK));
}

__global__ void __launch_bounds__(THREADS) sum_chunks(const __grid_constant__ stk_cuda_norm_table t)
{
    int tensor = stk::tensor_of(t.first, t.tensors, (int)blockIdx.x);
    int dtype = t.dtype[tensor];
    stk::wait_for_earlier();
    part   p = dtype == STK_DTYPE_F32   ? sum_of<float>(t, tensor)
               : dtype == STK_DTYPE_F16 ? sum_of<__half>(t, tensor)
                                        : sum_of<__nv_bfloat16>(t, tensor);
    double squares = stk::block_sum<THREADS>(p.squares);
    double not_finite = stk::block_sum<THREADS>(p.not_finite);
    if (threadIdx.x) return;
    t.sums[2 * (int64_t)blockIdx.x] = squares;
    t.sums[2 * (int64_t)blockIdx.x + 1] = not_finite;
}

__global__ void __launch_bounds__(TOTAL_THREADS)
    sum_total(const double2 *sums, int64_t chunks, float *to)
{
    double squares = 0, not_finite = 0;
    stk::wait_for_earlier();
    for (int64_t i = threadIdx.x; i < chunks; i += TOTAL_THREADS * AHEAD) {
        double2 of[AHEAD] = {};
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (i + k * TOTAL_THREADS < chunks) of[k] = sums[i + k * TOTAL_THREADS];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            squares += of[k].x, not_finite += of[k].y;
    }
    squares = stk::block_sum<TOTAL_THREADS>(squares);
    not_finite = stk::block_sum<TOTAL_THREADS>(not_finite);
    if (threadIdx.x == 0) to[0] = (float)squares, to[1] = (float)not_finite;
}

} // namespace

cudaError_t stk_cuda_norm_launch(stk_cuda_norm_table *t, cudaStream_t stream)
{
    t->first[0] = 0;
    for (int i = 0; i < t->tensors; i++)
        t->first[i + 1] = t->first[i] + (int)stk_cuda_norm_chunks(t->count[i]);
    if (t->first[t->tensors] == 0) return cudaSuccess;
    return STK_CUDA_LAUNCH_EARLY(sum_chunks, t->first[t->tensors], THREADS, 0, stream, *t);
}

cudaError_t stk_cuda_norm_total_launch(const double *sums, int64_t chunks, float *to,
                                       cudaStream_t stream)
{
    return STK_CUDA_LAUNCH_EARLY(sum_total, 1, TOTAL_THREADS, 0, stream, (const double2 *)sums,
                                 chunks, to);
}
