/* A thread has N channels of a column and goes down some rows: what it found in a row of x serves
 * both rows of windows that have it, what it read of dy all rows of dx under its windows. */
#include "backend/cuda/own/launch.cuh"
#include "backend/cuda/own/max_pool_3x3.h"

namespace
{

using stk::pack;

constexpr int THREADS = 256, K = 3, N = 4;
constexpr int ROWS = 14;   /* rows of windows that a thread goes down */
constexpr int COLUMNS = 2; /* of dx */

struct plan {
    int     groups, columns, segments; /* groups of channels; columns of threads */
    int64_t items;
};

struct spot {
    int64_t n;
    int     segment, column, channel;
};

__device__ __forceinline__ spot spot_of(const plan &p, int64_t item)
{
    int64_t line = item / (p.groups * p.columns);
    int     rest = (int)(item - line * (p.groups * p.columns));
    return spot{line / p.segments, (int)(line % p.segments), rest / p.groups, rest % p.groups * N};
}

/* The largest of some elements, and which. */
struct best {
    float value[N];
    int   place[N];
};

/* Of equal elements the first counts; a NaN is larger than all. */
__device__ __forceinline__ void take(best &b, int k, float value, int place)
{
    if (value > b.value[k] || value != value) b.value[k] = value, b.place[k] = place;
}

template <typename T> struct columns {
    pack<T, N> at[K];
};

template <typename T>
__device__ __forceinline__ void read(const T *row, bool wanted, unsigned inside, int channels,
                                     columns<T> &to)
{
#pragma unroll
    for (int kx = 0; kx < K; kx++)
        if (wanted && (inside >> kx & 1))
            to.at[kx] = *reinterpret_cast<const pack<T, N> *>(row + kx * channels);
}

/* The best of a row. It begins with the first place inside, so that something is found where all is
 * minus infinity. */
template <typename T>
__device__ __forceinline__ best best_of(const columns<T> &c, bool wanted, unsigned inside)
{
    best b;
#pragma unroll
    for (int k = 0; k < N; k++)
        b.value[k] = -INFINITY, b.place[k] = inside & 1 ? 0 : inside & 2 ? 1 : 2;
#pragma unroll
    for (int kx = 0; kx < K; kx++)
        if (wanted && (inside >> kx & 1)) {
#pragma unroll
            for (int k = 0; k < N; k++)
                take(b, k, stk::to_float(c.at[kx].at[k]), kx);
        }
    return b;
}

/* first: the first row inside. */
template <typename T>
__device__ __forceinline__ void write(const best (&rows)[K], int first, T *y, uint8_t *places)
{
    float            value[N];
    pack<uint8_t, N> place;
#pragma unroll
    for (int k = 0; k < N; k++) {
        best b;
        b.value[k] = -INFINITY;
        b.place[k] = K * first + (first == 0   ? rows[0].place[k]
                                  : first == 1 ? rows[1].place[k]
                                               : rows[2].place[k]);
#pragma unroll
        for (int ky = 0; ky < K; ky++)
            take(b, k, rows[ky].value[k], rows[ky].place[k] + K * ky);
        value[k] = b.value[k];
        place.at[k] = (uint8_t)b.place[k];
    }
    stk::store_floats<T, N>(value, y);
    if (places) *reinterpret_cast<pack<uint8_t, N> *>(places) = place;
}

/* Rows 2 r and 2 r + 1 of windows' first row r are read for it, the third is the next one's. */
template <typename T>
__global__ void __launch_bounds__(THREADS) largest(stk_cuda_pool_args a, plan p)
{
    int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (item >= p.items) return;
    spot     s = spot_of(p, item);
    int      channels = (int)a.channels, width = a.across.size * channels;
    int      left = s.column * 2 - a.across.before;
    int      oy = s.segment * ROWS, end = min(oy + ROWS, a.down.count);
    int      row = oy * 2 - a.down.before;
    unsigned inside = 0;
    for (int kx = 0; kx < K; kx++)
        if (left + kx >= 0 && left + kx < a.across.size) inside |= 1u << kx;
    const T   *x = (const T *)a.src + s.n * a.down.size * width + left * channels + s.channel;
    int64_t    to = ((s.n * a.down.count + oy) * a.across.count + s.column) * channels + s.channel;
    columns<T> raw[K];
    best       rows[K];
#pragma unroll
    for (int i = 0; i < K; i++)
        read(x + (row + i) * width, row + i >= 0 && row + i < a.down.size, inside, channels,
             raw[i]);
    rows[0] = best_of(raw[0], row >= 0, inside);
    for (; oy < end; oy++, row += 2, to += (int64_t)a.across.count * channels) {
        rows[1] = best_of(raw[1], row + 1 >= 0 && row + 1 < a.down.size, inside);
        rows[2] = best_of(raw[2], row + 2 < a.down.size, inside);
#pragma unroll
        for (int i = 1; i < K; i++)
            read(x + (row + i + 2) * width, oy + 1 < end && row + i + 2 < a.down.size, inside,
                 channels, raw[i]);
        write<T>(rows, row >= 0 ? 0 : -row, (T *)a.dst + to, a.places ? a.places + to : nullptr);
        rows[0] = rows[2];
    }
}

template <typename T> struct windows {
    pack<T, N>       dy[2];
    pack<uint8_t, N> place[2];
};

/* Of a row of windows, the one whose second and third column the thread has, and the next. */
template <typename T>
__device__ __forceinline__ void read(const stk_cuda_pool_args &a, int64_t picture, int row,
                                     int column, windows<T> &to)
{
    bool wanted = row >= 0 && row < a.down.count;
    int  at = (row * a.across.count + column - 1) * (int)a.channels;
#pragma unroll
    for (int j = 0; j < 2; j++) {
        constexpr uint8_t NOWHERE = K * K;
#pragma unroll
        for (int k = 0; k < N; k++)
            to.place[j].at[k] = NOWHERE;
        if (wanted && column - 1 + j >= 0 && column - 1 + j < a.across.count) {
            int64_t from = picture + at + j * (int)a.channels;
            to.dy[j] = *reinterpret_cast<const pack<T, N> *>((const T *)a.src + from);
            to.place[j] = *reinterpret_cast<const pack<uint8_t, N> *>(a.from + from);
        }
    }
}

/* Adds what a row of windows gives to the rows of acc, whose first is under tap FIRST of it. */
template <typename T, int FIRST>
__device__ __forceinline__ void spread(const windows<T> &w, float (&acc)[K][COLUMNS][N])
{
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
        for (int k = 0; k < N; k++) {
            float dy = stk::to_float(w.dy[j].at[k]);
            int   place = w.place[j].at[k];
#pragma unroll
            for (int ky = FIRST; ky < K; ky++)
#pragma unroll
                for (int t = 0; t < COLUMNS; t++) {
                    const int kx = t + 2 * (1 - j);
                    if (kx < K && place == ky * K + kx) acc[ky - FIRST][t][k] += dy;
                }
        }
}

/* Places of dx are counted with the padding before it, from an even one on: row and column 0 of acc
 * are under the first taps of windows. */
template <typename T>
__global__ void __launch_bounds__(THREADS) largest_grad(stk_cuda_pool_args a, plan p)
{
    int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (item >= p.items) return;
    spot       s = spot_of(p, item);
    int        channels = (int)a.channels;
    int        oy = s.segment * ROWS + a.down.before / 2, ox = s.column + a.across.before / 2;
    int        row = oy * 2 - a.down.before, left = ox * 2 - a.across.before;
    int        end = min(row + 2 * ROWS, a.down.size);
    int64_t    picture = s.n * a.down.count * a.across.count * channels + s.channel;
    T         *dx = (T *)a.dst + s.n * a.down.size * a.across.size * channels + s.channel;
    float      acc[K][COLUMNS][N] = {};
    windows<T> now, next;
    read(a, picture, oy - 1, ox, now);
    read(a, picture, oy, ox, next);
    spread<T, 2>(now, acc);
    for (; row < end; row += 2, oy++) {
        now = next;
        read(a, picture, row + 2 < end ? oy + 1 : -1, ox, next);
        spread<T, 0>(now, acc);
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int t = 0; t < COLUMNS; t++)
                if (row + i >= 0 && row + i < a.down.size && left + t >= 0 &&
                    left + t < a.across.size)
                    stk::store_floats<T, N>(acc[i][t],
                                            dx + ((row + i) * a.across.size + left + t) * channels);
#pragma unroll
        for (int t = 0; t < COLUMNS; t++)
#pragma unroll
            for (int k = 0; k < N; k++)
                acc[0][t][k] = acc[2][t][k], acc[1][t][k] = acc[2][t][k] = 0;
    }
}

plan plan_of(const stk_cuda_pool_args *args, int columns, int rows)
{
    plan p = {(int)(args->channels / N), columns, (rows + ROWS - 1) / ROWS, 0};
    p.items = args->batch * p.segments * p.columns * p.groups;
    return p;
}

template <typename T> cudaError_t start(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    auto   *kernel = largest<T>;
    plan    p = plan_of(args, args->across.count, args->down.count);
    int64_t blocks = (p.items + THREADS - 1) / THREADS;
    return STK_CUDA_LAUNCH(kernel, (int)blocks, THREADS, 0, stream, *args, p);
}

template <typename T> cudaError_t start_grad(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    auto   *kernel = largest_grad<T>;
    plan    p = plan_of(args, (args->across.size + args->across.before % 2 + 1) / 2,
                        (args->down.size + args->down.before % 2 + 1) / 2);
    int64_t blocks = (p.items + THREADS - 1) / THREADS;
    return STK_CUDA_LAUNCH(kernel, (int)blocks, THREADS, 0, stream, *args, p);
}

} // namespace

/* A picture's places fit 31 bits, with what is looked at around it. */
int stk_cuda_max_pool_3x3_can(const stk_cuda_pool_args *args)
{
    constexpr int64_t AROUND = 8, THE_MOST = INT32_MAX;
    int64_t           pixels = (args->down.size + AROUND) * (args->across.size + AROUND);
    return args->down.kernel == K && args->across.kernel == K && args->down.stride == 2 &&
           args->across.stride == 2 && args->channels % N == 0 &&
           pixels <= THE_MOST / args->channels && args->batch <= THE_MOST * THREADS / pixels;
}

cudaError_t stk_cuda_max_pool_3x3_launch(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start, args, stream);
}

cudaError_t stk_cuda_max_pool_3x3_grad_launch(const stk_cuda_pool_args *args, cudaStream_t stream)
{
    return STK_CUDA_FLOATS(args->dtype, start_grad, args, stream);
}
