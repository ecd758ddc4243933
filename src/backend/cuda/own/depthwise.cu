/* Depthwise convolutions, and their gradients by x. These are bound by memory: all that is computed
 * must hide behind reading x and writing y once. */
#include "backend/cuda/own/depthwise.cuh"

namespace
{

using stk::DW_COLUMNS;
using stk::dw_plan;
using stk::dw_spot;
using stk::DW_THREADS;
using stk::dw_word;
using stk::pack;

/* How a result is written: y with bias and bounds, or dx with what is added to it. */
template <typename T, int V> struct writer {
    T       *picture;
    const T *plus; /* the same of it, or NULL */
    int      first, stride, channels;
    float    bias[V], low, high;

    __device__ __forceinline__ void write(int row, int column, const float (&value)[V]) const
    {
        int        at = first + row * stride + column * channels;
        float      more[V] = {};
        pack<T, V> out;
        if (plus) stk::dw_unpack<T, V>(*reinterpret_cast<const dw_word *>(plus + at), more);
#pragma unroll
        for (int v = 0; v < V; v++) {
            float x = value[v] + bias[v];
            stk::from_float((x < low ? low : x > high ? high : x) + more[v], out.at[v]);
        }
        *reinterpret_cast<pack<T, V> *>(picture + at) = out;
    }
};

template <typename T, int V>
__device__ __forceinline__ writer<T, V> writer_of(const stk_cuda_conv_args &a, const dw_spot &s,
                                                  int rows, int columns, int column, int channel)
{
    int64_t      first = (int64_t)s.n * (rows * columns * a.in_c) + channel;
    writer<T, V> w = {(T *)a.out + first,
                      a.plus ? (const T *)a.plus + first : nullptr,
                      column * a.in_c,
                      columns * a.in_c,
                      a.in_c,
                      {},
                      a.low,
                      a.high};
#pragma unroll
    for (int v = 0; v < V; v++)
        w.bias[v] = a.bias ? a.bias[channel + v] : 0;
    return w;
}

/* A row of x, Q rows after the first of result 0, to all results of acc that it is part of. */
template <int V, int K, int S, int Q, int LIVE, int COLS>
__device__ __forceinline__ void add_row(const float (&x)[COLS][V], const float (&w)[K * K][V],
                                        float (&acc)[LIVE][DW_COLUMNS][V])
{
#pragma unroll
    for (int live = 0; live < LIVE; live++) {
        const int ky = Q - S * live;
        if (ky < 0 || ky >= K) continue;
#pragma unroll
        for (int kx = 0; kx < K; kx++)
#pragma unroll
            for (int t = 0; t < DW_COLUMNS; t++)
#pragma unroll
                for (int v = 0; v < V; v++) {
                    float term = x[S * t + kx][v] * w[ky * K + kx][v];
                    acc[live][t][v] = ky == 0 && kx == 0 ? term : acc[live][t][v] + term;
                }
    }
}

/* The rows before those of the loop: K - S of them. */
template <typename T, int V, int K, int S, int Q, int LIVE, int COLS>
__device__ __forceinline__ void add_first(const stk::dw_reader<T, COLS> &reader, int row,
                                          const float (&w)[K * K][V],
                                          float (&acc)[LIVE][DW_COLUMNS][V])
{
    if constexpr (Q < K - S) {
        dw_word raw[COLS];
        float   x[COLS][V];
        reader.read(row + Q, true, raw);
        stk::dw_floats<T, V>(raw, x);
        add_row<V, K, S, Q>(x, w, acc);
        add_first<T, V, K, S, Q + 1>(reader, row, w, acc);
    }
}

/* The rows of the loop, S for each row of results; each is read one turn ahead. */
template <typename T, int V, int K, int S, int I, int LIVE, int COLS>
__device__ __forceinline__ void add_next(const stk::dw_reader<T, COLS> &reader, int row, bool more,
                                         dw_word (&raw)[S][COLS], const float (&w)[K * K][V],
                                         float (&acc)[LIVE][DW_COLUMNS][V])
{
    if constexpr (I < S) {
        float x[COLS][V];
        stk::dw_floats<T, V>(raw[I], x);
        reader.read(row + K + I, more, raw[I]);
        add_row<V, K, S, K - S + I>(x, w, acc);
        add_next<T, V, K, S, I + 1>(reader, row, more, raw, w, acc);
    }
}

/* x to y; and of stride 1, dy to dx, which is the same with the kernel turned. */
template <typename T, int V, int K, int S>
__global__ void __launch_bounds__(DW_THREADS, K *S < 5    ? 3
                                              : K * S < 7 ? 2
                                                          : 1)
    forward(stk_cuda_conv_args a, dw_plan p, const T *x, bool flip)
{
    constexpr int COLS = S * (DW_COLUMNS - 1) + K, LIVE = (K + S - 1) / S;
    float         w[K * K][V], acc[LIVE][DW_COLUMNS][V];
    stk::dw_weights<T, V>(p, (const T *)a.w, a.in_c, flip, w);
    int channel = stk::dw_channel(p, V), item = stk::dw_item(p);
    if (channel >= a.in_c || item >= p.items) return;
    dw_spot s = stk::dw_spot_of(p, item);
    int     end = min(s.row + p.rows, a.down.count), row = s.row * S - a.down.before;
    stk::dw_reader<T, COLS> reader(
        x + (int64_t)s.n * (a.down.size * a.across.size * a.in_c) + channel, a.down.size,
        a.across.size, a.in_c, s.column * S - a.across.before);
    writer<T, V> out = writer_of<T, V>(a, s, a.down.count, a.across.count, s.column, channel);
    dw_word      raw[S][COLS];
#pragma unroll
    for (int i = 0; i < S; i++)
        reader.read(row + K - S + i, true, raw[i]);
    add_first<T, V, K, S, 0>(reader, row, w, acc);
#pragma unroll(K == 3 ? LIVE : 1)
    for (int oy = s.row; oy < end; oy++, row += S) {
        add_next<T, V, K, S, 0>(reader, row, oy + 1 < end, raw, w, acc);
#pragma unroll
        for (int t = 0; t < DW_COLUMNS; t++)
            if (s.column + t < a.across.count) out.write(oy, t, acc[0][t]);
#pragma unroll
        for (int live = 0; live + 1 < LIVE; live++)
#pragma unroll
            for (int t = 0; t < DW_COLUMNS; t++)
#pragma unroll
                for (int v = 0; v < V; v++)
                    acc[live][t][v] = acc[live + 1][t][v];
    }
}

/* A row of dy, BACK rows before the one whose first tap is on row 0 of acc. Column j of dy is on
 * columns 2 (j - REACH) and on. */
template <int V, int K, int BACK, int COLS>
__device__ __forceinline__ void spread_row(const float (&dy)[COLS][V], const float (&w)[K * K][V],
                                           float (&acc)[K][DW_COLUMNS][V])
{
    constexpr int REACH = (K - 1) / 2;
#pragma unroll
    for (int ky = 2 * BACK; ky < K; ky++)
#pragma unroll
        for (int j = 0; j < COLS; j++)
#pragma unroll
            for (int kx = 0; kx < K; kx++) {
                const int t = 2 * (j - REACH) + kx;
                if (t < 0 || t >= DW_COLUMNS) continue;
#pragma unroll
                for (int v = 0; v < V; v++)
                    acc[ky - 2 * BACK][t][v] += dy[j][v] * w[ky * K + kx][v];
            }
}

template <typename T, int V, int K, int BACK, int COLS>
__device__ __forceinline__ void spread_first(const stk::dw_reader<T, COLS> &reader, int row,
                                             const float (&w)[K * K][V],
                                             float (&acc)[K][DW_COLUMNS][V])
{
    if constexpr (BACK > 0) {
        dw_word raw[COLS];
        float   dy[COLS][V];
        reader.read(row - BACK, true, raw);
        stk::dw_floats<T, V>(raw, dy);
        spread_row<V, K, BACK>(dy, w, acc);
        spread_first<T, V, K, BACK - 1>(reader, row, w, acc);
    }
}

/* dy to dx of stride 2. Places of dx are counted with the padding before it, from an even one on:
 * then every second row and column has the same taps. */
template <typename T, int V, int K>
__global__ void __launch_bounds__(DW_THREADS, K == 3 ? 3 : 2)
    spread(stk_cuda_conv_args a, dw_plan p)
{
    constexpr int REACH = (K - 1) / 2, COLS = (DW_COLUMNS - 1) / 2 + REACH + 1;
    float         w[K * K][V], acc[K][DW_COLUMNS][V] = {};
    stk::dw_weights<T, V>(p, (const T *)a.w, a.in_c, false, w);
    int channel = stk::dw_channel(p, V), item = stk::dw_item(p);
    if (channel >= a.in_c || item >= p.items) return;
    dw_spot s = stk::dw_spot_of(p, item);
    int     column = s.column - a.across.before % 2, row = s.row - a.down.before % 2;
    int     source = (s.row + a.down.before) / 2, end = min(row + p.rows, a.down.size);
    stk::dw_reader<T, COLS> reader(
        (const T *)a.dy + (int64_t)s.n * (a.down.count * a.across.count * a.in_c) + channel,
        a.down.count, a.across.count, a.in_c, (s.column + a.across.before) / 2 - REACH);
    writer<T, V> out = writer_of<T, V>(a, s, a.down.size, a.across.size, column, channel);
    dw_word      raw[COLS];
    reader.read(source, true, raw);
    spread_first<T, V, K, REACH>(reader, source, w, acc);
    for (; row < end; row += 2, source++) {
        float dy[COLS][V];
        stk::dw_floats<T, V>(raw, dy);
        reader.read(source + 1, row + 2 < end, raw);
        spread_row<V, K, 0>(dy, w, acc);
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int t = 0; t < DW_COLUMNS; t++)
                if (row + i >= 0 && row + i < a.down.size && column + t >= 0 &&
                    column + t < a.across.size)
                    out.write(row + i, t, acc[i][t]);
#pragma unroll
        for (int i = 0; i < K; i++)
#pragma unroll
            for (int t = 0; t < DW_COLUMNS; t++)
#pragma unroll
                for (int v = 0; v < V; v++)
                    acc[i][t][v] = i + 2 < K ? acc[i + 2 < K ? i + 2 : 0][t][v] : 0;
    }
}

template <typename T, int V, int K, int S>
cudaError_t start_forward(const stk_cuda_conv_args *args, const void *src, bool flip,
                          cudaStream_t stream)
{
    auto   *kernel = forward<T, V, K, S>;
    dw_plan p = stk::dw_plan_of(args->batch, args->in_c, V, args->down.count, args->across.count);
    if (p.blocks > INT32_MAX / p.chunks) return cudaErrorInvalidConfiguration;
    return STK_CUDA_LAUNCH(kernel, p.blocks * p.chunks, p.cv * p.places, 0, stream, *args, p,
                           (const T *)src, flip);
}

template <typename T, int V, int K, int S>
cudaError_t start_input(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    if constexpr (S == 1) {
        stk_cuda_conv_args turned = *args;
        turned.down.size = args->down.count, turned.down.count = args->down.size;
        turned.down.before = K - 1 - args->down.before;
        turned.across.size = args->across.count, turned.across.count = args->across.size;
        turned.across.before = K - 1 - args->across.before;
        return start_forward<T, V, K, 1>(&turned, args->dy, true, stream);
    } else {
        auto   *kernel = spread<T, V, K>;
        dw_plan p =
            stk::dw_plan_of(args->batch, args->in_c, V, args->down.size + args->down.before % 2,
                            args->across.size + args->across.before % 2);
        if (p.blocks > INT32_MAX / p.chunks) return cudaErrorInvalidConfiguration;
        return STK_CUDA_LAUNCH(kernel, p.blocks * p.chunks, p.cv * p.places, 0, stream, *args, p);
    }
}

} // namespace

cudaError_t stk_cuda_depthwise_launch(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    if (args->batch == 0) return cudaSuccess;
    return STK_CUDA_DW_FLOATS(args, start_forward, args, args->x, false, stream);
}

cudaError_t stk_cuda_depthwise_input_launch(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    if (args->batch == 0) return cudaSuccess;
    return STK_CUDA_DW_FLOATS(args, start_input, args, stream);
}
