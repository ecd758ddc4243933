/* Iteration over the rows of a tensor, and sums over them in a fixed order: threads of a block,
 * then blocks. The last block to finish adds the partials of all. */
#ifndef STK_COMPUTE_CUDA_KERNELS_CHANNEL_ROWS_CUH
#define STK_COMPUTE_CUDA_KERNELS_CHANNEL_ROWS_CUH

#include "compute/cuda_kernels/channel_rows.h"
#include "compute/cuda_kernels/launch.cuh"
#include <string.h>

namespace stk
{

/* The rows of one thread. Sums go from the last row to the first: the end of the previous result is
 * still cached, and the beginning will be when the next kernel needs it. */
struct iter {
    int64_t at, step; /* in elements: the first row, and the distance to the next */
    int     count;    /* rows */
    int     channel;  /* the first */
    int     across, down;
};

template <bool BACKWARDS> __device__ __forceinline__ iter row_iter_of(const stk_cuda_rows &r)
{
    iter w;
    w.across = (int)threadIdx.x % r.across;
    w.down = (int)threadIdx.x / r.across;
    w.channel = ((int)blockIdx.y * r.across + w.across) * r.wide;
    int row = (int)blockIdx.x * r.down + w.down;
    w.count = w.channel < r.stride ? r.sweeps + (row < r.more) : 0;
    w.at = (BACKWARDS ? r.rows - 1 - row : row) * r.stride + w.channel;
    w.step = BACKWARDS ? -r.step : r.step;
    return w;
}

/* Number of rows that the threads of a block visit together. */
__device__ __forceinline__ int64_t rows_of_block(const stk_cuda_rows &r, int block)
{
    int rest = r.more - block * r.down;
    return (int64_t)r.sweeps * r.down + min(max(rest, 0), r.down);
}

/* N elements as loaded: 16 bytes in four registers, or one element. 16-bit types stay packed until
 * they are used; unpacked arrays would be moved one by one. */
template <typename T, int N> struct line {
    uint4 words;
};
template <> struct line<float, 8> {
    uint4 words, more;
};
template <typename T> struct line<T, 1> {
    T only;
};

__device__ __forceinline__ float2 floats_of(uint32_t word, __half)
{
    __half2 two;
    memcpy((void *)&two, &word, sizeof two);
    return __half22float2(two);
}
__device__ __forceinline__ float2 floats_of(uint32_t word, __nv_bfloat16)
{
    return {__uint_as_float(word << 16), __uint_as_float(word & 0xffff0000u)};
}
__device__ __forceinline__ uint32_t word_of(float a, float b, __half)
{
    __half2  two = __floats2half2_rn(a, b);
    uint32_t word;
    memcpy(&word, &two, sizeof word);
    return word;
}
__device__ __forceinline__ uint32_t word_of(float a, float b, __nv_bfloat16)
{
    __nv_bfloat162 two = __floats2bfloat162_rn(a, b);
    uint32_t       word;
    memcpy(&word, &two, sizeof word);
    return word;
}

template <typename T> __device__ __forceinline__ void unpack(const line<T, 8> &from, float (&to)[8])
{
    const uint32_t words[4] = {from.words.x, from.words.y, from.words.z, from.words.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 two = floats_of(words[i], T());
        to[2 * i] = two.x, to[2 * i + 1] = two.y;
    }
}
__device__ __forceinline__ void unpack_four(const uint4 &from, float *to)
{
    to[0] = __uint_as_float(from.x), to[1] = __uint_as_float(from.y);
    to[2] = __uint_as_float(from.z), to[3] = __uint_as_float(from.w);
}
__device__ __forceinline__ void unpack(const line<float, 4> &from, float (&to)[4])
{
    unpack_four(from.words, to);
}
__device__ __forceinline__ void unpack(const line<float, 8> &from, float (&to)[8])
{
    unpack_four(from.words, to);
    unpack_four(from.more, to + 4);
}
template <typename T> __device__ __forceinline__ void unpack(const line<T, 1> &from, float (&to)[1])
{
    to[0] = to_float(from.only);
}

template <typename T> __device__ __forceinline__ void store_line(const float (&v)[8], T *to)
{
    *reinterpret_cast<uint4 *>(to) = {word_of(v[0], v[1], T()), word_of(v[2], v[3], T()),
                                      word_of(v[4], v[5], T()), word_of(v[6], v[7], T())};
}
__device__ __forceinline__ void store_line(const float (&v)[4], float *to)
{
    *reinterpret_cast<float4 *>(to) = {v[0], v[1], v[2], v[3]};
}
__device__ __forceinline__ void store_line(const float (&v)[8], float *to)
{
    *reinterpret_cast<float4 *>(to) = {v[0], v[1], v[2], v[3]};
    *reinterpret_cast<float4 *>(to + 4) = {v[4], v[5], v[6], v[7]};
}
template <typename T> __device__ __forceinline__ void store_line(const float (&v)[1], T *to)
{
    from_float(v[0], *to);
}

/* Loads 16 bytes, or zeros. Compilers would sink loads to their uses and serialize them. volatile
 * asm stops the first compiler; a `break` at the first missing row stops the second. */
__device__ __forceinline__ uint4 load_words(const void *from, bool there)
{
    uint4 to = {};
#ifdef __CUDACC__
    asm volatile("{.reg .pred p;\n"
                 "setp.ne.s32 p, %5, 0;\n"
                 "mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0; mov.u32 %3, 0;\n"
                 "@p ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];}"
                 : "=&r"(to.x), "=&r"(to.y), "=&r"(to.z), "=&r"(to.w)
                 : "l"(from), "r"((int)there));
#else
    if (there) to = *(const uint4 *)from;
#endif
    return to;
}

__device__ __forceinline__ uint32_t load_byte(const uint8_t *from, bool there)
{
    uint32_t to = 0;
#ifdef __CUDACC__
    asm volatile("{.reg .pred p;\n"
                 "setp.ne.s32 p, %2, 0;\n"
                 "mov.u32 %0, 0;\n"
                 "@p ld.global.u8 %0, [%1];}"
                 : "=&r"(to)
                 : "l"(from), "r"((int)there));
#else
    if (there) to = *from;
#endif
    return to;
}

template <typename T, int N>
__device__ __forceinline__ line<T, N> load_line(const T *from, bool there)
{
    line<T, N> to = {};
    if constexpr (N == 1) {
        if (there) to.only = *from;
    } else {
        to.words = load_words(from, there);
        if constexpr (sizeof to == 2 * sizeof to.words) to.more = load_words(from + 4, there);
    }
    return to;
}

/* Loads the next U rows from element at on; `left` of them exist, the others are zeros. */
template <typename T, int N, int U>
__device__ __forceinline__ void load_rows(const void *from, int64_t at, int64_t step, int left,
                                          line<T, N> (&to)[U])
{
#pragma unroll
    for (int u = 0; u < U; u++, at += step)
        to[u] = load_line<T, N>((const T *)from + at, u < left);
}

/* Values of N channels that all exist. */
template <int N>
__device__ __forceinline__ void load_values(const float *values, int64_t channel, float (&to)[N])
{
    constexpr int FOUR = N % 4 ? 1 : 4;
#pragma unroll
    for (int k = 0; k < N; k += FOUR) {
        float four[FOUR];
        load_floats<float, FOUR>(values + channel + k, four);
#pragma unroll
        for (int i = 0; i < FOUR; i++)
            to[k + i] = four[i];
    }
}

/* Values of a thread's channels; zeros for padding, or if values is NULL. */
template <int N>
__device__ __forceinline__ void load_channels(const float *values, const stk_cuda_rows &r,
                                              int channel, float (&to)[N])
{
#pragma unroll
    for (int k = 0; k < N; k++)
        to[k] = 0;
    if (!values) return;
    if (channel + N <= r.channels) {
        load_values<N>(values, channel, to);
        return;
    }
#pragma unroll
    for (int k = 0; k < N; k++)
        if (channel + k < r.channels) to[k] = values[channel + k];
}

/* Address of a block's partial `value`: one float per channel of its tile. */
__device__ __forceinline__ float *partial_of(float *partials, const stk_cuda_rows &r, int values,
                                             int block, int value)
{
    int64_t at = ((int64_t)blockIdx.y * r.blocks + block) * values + value;
    return partials + at * (r.across * r.wide);
}

constexpr int SUM_PAD = 4; /* floats; avoids bank conflicts of strided reads */

/* Adds VALUES sums for each of N channels over the threads above each other and stores the block's
 * totals from first on. Several threads share a sum: each adds some rows, and the first adds their
 * results. */
template <int VALUES, int N>
__device__ __forceinline__ void leave_sums(const float (&v)[VALUES][N], const stk_cuda_rows &r,
                                           float *partials, int values, int first, float *shared)
{
    const int threads = r.across * r.down, width = r.across * N, sums = VALUES * width;
    const int line = threads + SUM_PAD, shares = min(threads / sums, r.down);
    const int at = (int)threadIdx.x, sum_at = at % sums, share = at / sums, c = sum_at % width;
    float    *others = shared + VALUES * N * line, sum = 0;
#pragma unroll
    for (int i = 0; i < VALUES * N; i++)
        shared[i * line + at] = v[i / N][i % N];
    __syncthreads();
    if (share < shares) {
        const float *from = shared + (sum_at / width * N + c % N) * line + c / N;
#pragma unroll 8
        for (int d = share; d < r.down; d += shares)
            sum += from[d * r.across];
        others[at] = sum;
    }
    __syncthreads();
    if (share > 0) return;
    for (int i = 1; i < shares; i++)
        sum += others[i * sums + at];
    partial_of(partials, r, values, (int)blockIdx.x, first + at / width)[c] = sum;
}

/* Increments with release and acquire order; a sequentially consistent fence would also wait for
 * unrelated stores. */
__device__ __forceinline__ unsigned count_up(unsigned *counter)
{
#ifdef __CUDACC__
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before)
                 : "l"(counter)
                 : "memory");
    return before;
#else
    return atomicAdd(counter, 1u);
#endif
}

/* In all threads: whether all other blocks of this tile have stored their partials. Resets the
 * counter for the next kernel. One thread counts for all, ordered by the barriers around it. */
__device__ __forceinline__ bool is_last_block(unsigned *counters, int blocks)
{
    __shared__ bool last;
    __syncthreads();
    if (blocks == 1) return true;
    if (threadIdx.x == 0) {
        last = count_up(&counters[blockIdx.y]) + 1 == (unsigned)blocks;
        if (last) counters[blockIdx.y] = 0;
    }
    __syncthreads();
    return last;
}

/* Loads a float written by another block, if it exists. Not reordered, like load_words. */
__device__ __forceinline__ float load_partial(const float *from, bool there)
{
    float to = 0;
#ifdef __CUDACC__
    asm volatile("{.reg .pred p;\n"
                 "setp.ne.s32 p, %2, 0;\n"
                 "mov.f32 %0, 0f00000000;\n"
                 "@p ld.global.cg.f32 %0, [%1];}"
                 : "=&f"(to)
                 : "l"(from), "r"((int)there));
#else
    if (there) to = *from;
#endif
    return to;
}

/* In the last block: calls f(block, values) for each block's partials of one channel. Several
 * threads per channel alternate blocks. Loads are batched, since latency dominates here. */
template <int VALUES, typename F>
__device__ __forceinline__ void for_partials(const float *partials, const stk_cuda_rows &r, F f)
{
    constexpr int BATCH = 8;
    int           width = r.across * r.wide, lanes = (int)blockDim.x / width;
    int           c = (int)threadIdx.x % width, lane = (int)threadIdx.x / width;
    int64_t       first = ((int64_t)blockIdx.y * r.blocks + lane) * VALUES * width + c;
    for (int b = lane < lanes ? lane : r.blocks; b < r.blocks; b += BATCH * lanes) {
        float v[BATCH][VALUES];
#pragma unroll
        for (int i = 0; i < BATCH; i++, first += (int64_t)lanes * VALUES * width)
#pragma unroll
            for (int k = 0; k < VALUES; k++)
                v[i][k] = load_partial(partials + first + k * width, b + i * lanes < r.blocks);
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            if (b + i * lanes >= r.blocks) break;
            f(b + i * lanes, v[i]);
        }
    }
}

/* In the last block: adds the results of a channel's threads, in the first of them. Returns that
 * channel, or -1 in other threads. */
template <int VALUES>
__device__ __forceinline__ int64_t sum_lanes(double (&sum)[VALUES], const stk_cuda_rows &r,
                                             double *shared)
{
    int width = r.across * r.wide, threads = (int)blockDim.x, lanes = threads / width;
    int c = (int)threadIdx.x % width, lane = (int)threadIdx.x / width;
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        shared[i * threads + (int)threadIdx.x] = sum[i];
    __syncthreads();
    int64_t channel = (int64_t)blockIdx.y * width + c;
    if (lane > 0 || channel >= r.channels) return -1;
    for (int l = 1; l < lanes; l++)
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            sum[i] += shared[i * threads + l * width + c];
    return channel;
}

/* In the last block: sums all partials; the channel is as for sum_lanes. */
template <int VALUES>
__device__ __forceinline__ int64_t sum_partials(const float *partials, const stk_cuda_rows &r,
                                                float *shared, double (&sum)[VALUES])
{
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        sum[i] = 0;
    for_partials<VALUES>(partials, r, [&](int, const float(&v)[VALUES]) {
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            sum[i] += (double)v[i];
    });
    return sum_lanes<VALUES>(sum, r, reinterpret_cast<double *>(shared));
}

/* Shared memory of leave_sums and sum_lanes, in bytes. */
inline size_t bytes_to_sum(const stk_cuda_rows &r, int values)
{
    size_t threads = (size_t)(r.across * r.down), count = (size_t)values;
    size_t block = sizeof(float) * (count * (size_t)r.wide * (threads + SUM_PAD) + threads);
    size_t last = sizeof(double) * count * threads;
    return block > last ? block : last;
}

} // namespace stk

#endif
