/* Gradients of depthwise convolutions by weights: every thread sums its taps over the places it
 * comes by, a block adds up those of its threads, and what blocks found is added up after. */
#include "backend/cuda/own/depthwise.cuh"

namespace
{

using stk::DW_COLUMNS;
using stk::dw_plan;
using stk::dw_spot;
using stk::DW_THREADS;
using stk::dw_word;

/* A row of x, Q rows after the first of row 0 of dy, with all rows of dy that it is part of. */
template <int V, int K, int S, int Q, int LIVE, int COLS>
__device__ __forceinline__ void add_row(const float (&x)[COLS][V],
                                        const float (&dy)[LIVE][DW_COLUMNS][V],
                                        float (&sum)[K * K + 1][V])
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
                for (int v = 0; v < V; v++)
                    sum[ky * K + kx][v] += x[S * t + kx][v] * dy[live][t][v];
    }
}

template <typename T, int V, int K, int S, int Q, int LIVE, int COLS>
__device__ __forceinline__ void add_first(const stk::dw_reader<T, COLS> &reader, int row,
                                          const float (&dy)[LIVE][DW_COLUMNS][V],
                                          float (&sum)[K * K + 1][V])
{
    if constexpr (Q < K - S) {
        dw_word raw[COLS];
        float   x[COLS][V];
        reader.read(row + Q, true, raw);
        stk::dw_floats<T, V>(raw, x);
        add_row<V, K, S, Q>(x, dy, sum);
        add_first<T, V, K, S, Q + 1>(reader, row, dy, sum);
    }
}

/* The S rows of x that come with a row of dy; row is the first of those that are read instead. */
template <typename T, int V, int K, int S, int I, int LIVE, int COLS>
__device__ __forceinline__ void
add_next(const stk::dw_reader<T, COLS> &reader, int row, bool more, dw_word (&raw)[S][COLS],
         const float (&dy)[LIVE][DW_COLUMNS][V], float (&sum)[K * K + 1][V])
{
    if constexpr (I < S) {
        float x[COLS][V];
        stk::dw_floats<T, V>(raw[I], x);
        reader.read(row + I, more, raw[I]);
        add_row<V, K, S, K - S + I>(x, dy, sum);
        add_next<T, V, K, S, I + 1>(reader, row, more, raw, dy, sum);
    }
}

/* Row 0 of dy goes, the next one comes. */
template <typename T, int V, int LIVE>
__device__ __forceinline__ void shift(const dw_word (&raw)[DW_COLUMNS],
                                      float (&dy)[LIVE][DW_COLUMNS][V], float (&bias)[V])
{
#pragma unroll
    for (int t = 0; t < DW_COLUMNS; t++)
#pragma unroll
        for (int v = 0; v < V; v++) {
            bias[v] += dy[0][t][v];
#pragma unroll
            for (int live = 0; live + 1 < LIVE; live++)
                dy[live][t][v] = dy[live + 1][t][v];
        }
    stk::dw_floats<T, V>(raw, dy[LIVE - 1]);
}

/* What one item gives; its rows of dy end where those of the next begin. Rows are read AHEAD turns
 * before they are needed: nothing is written meanwhile, so that all the memory's time goes by
 * waiting for them. Those past the end are zeros. The last sum is the bias's. */
template <typename T, int V, int K, int S>
__device__ __forceinline__ void add_item(const stk_cuda_conv_args &a, const dw_plan &p,
                                         const dw_spot &s, int channel, float (&sum)[K * K + 1][V])
{
    constexpr int COLS = S * (DW_COLUMNS - 1) + K, LIVE = (K + S - 1) / S, AHEAD = S == 1 ? 2 : 1;
    int           end = min(s.row + p.rows, a.down.count), row = s.row * S - a.down.before;
    stk::dw_reader<T, COLS> from_x(
        (const T *)a.x + (int64_t)s.n * (a.down.size * a.across.size * a.in_c) + channel,
        a.down.size, a.across.size, a.in_c, s.column * S - a.across.before);
    stk::dw_reader<T, DW_COLUMNS> from_dy(
        (const T *)a.dy + (int64_t)s.n * (a.down.count * a.across.count * a.in_c) + channel, end,
        a.across.count, a.in_c, s.column);
    dw_word x[AHEAD][S][COLS], next[AHEAD][DW_COLUMNS], first[LIVE][DW_COLUMNS];
    float   dy[LIVE][DW_COLUMNS][V];
#pragma unroll
    for (int live = 0; live < LIVE; live++)
        from_dy.read(s.row + live, true, first[live]);
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        from_dy.read(s.row + LIVE + i, true, next[i]);
#pragma unroll
        for (int k = 0; k < S; k++)
            from_x.read(row + K - S + i * S + k, s.row + i < end, x[i][k]);
    }
#pragma unroll
    for (int live = 0; live < LIVE; live++)
        stk::dw_floats<T, V>(first[live], dy[live]);
    add_first<T, V, K, S, 0>(from_x, row, dy, sum);
#pragma unroll 1
    for (int oy = s.row; oy < end; oy += AHEAD, row += AHEAD * S) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            add_next<T, V, K, S, 0>(from_x, row + K - S + (AHEAD + i) * S, oy + AHEAD + i < end,
                                    x[i], dy, sum);
            shift<T, V>(next[i], dy, sum[K * K]);
            from_dy.read(oy + i + LIVE + AHEAD, true, next[i]);
        }
    }
}

/* The threads of a block that have the same channels, one after the other. */
template <int V, int SUMS>
__device__ __forceinline__ void add_up(const stk_cuda_conv_args &a, const dw_plan &p,
                                       const float (&sum)[SUMS][V])
{
    __shared__ float shared[DW_THREADS * V];
    int              width = p.cv * V, me = (int)threadIdx.x;
    int              first = (int)(blockIdx.x % (unsigned)p.chunks) * width;
    int64_t          count = (int64_t)a.in_c * (SUMS - 1 + (a.dbias ? 1 : 0));
    float           *part = a.parts + blockIdx.x / (unsigned)p.chunks * count;
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        if (i == SUMS - 1 && !a.dbias) return;
#pragma unroll
        for (int v = 0; v < V; v++)
            shared[me / p.cv * width + me % p.cv * V + v] = sum[i][v];
        __syncthreads();
        if (me < width && first + me < a.in_c) {
            float all = 0;
            for (int place = 0; place < p.places; place++)
                all += shared[place * width + me];
            int64_t c = first + me;
            part[i < SUMS - 1 ? c * (SUMS - 1) + i : (int64_t)a.in_c * (SUMS - 1) + c] = all;
        }
        __syncthreads();
    }
}

template <typename T, int V, int K, int S>
__global__ void __launch_bounds__(DW_THREADS, K == 3 ? 2 : 1)
    by_weight(stk_cuda_conv_args a, dw_plan p)
{
    float sum[K * K + 1][V] = {};
    int   channel = stk::dw_channel(p, V);
    for (int item = stk::dw_item(p); item < p.items && channel < a.in_c;
         item += a.part_count * p.places)
        add_item<T, V, K, S>(a, p, stk::dw_spot_of(p, item), channel, sum);
    add_up(a, p, sum);
}

template <typename T, int V, int K, int S>
cudaError_t start(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    auto   *kernel = by_weight<T, V, K, S>;
    dw_plan p = stk::dw_plan_of(args->batch, args->in_c, V, args->down.count, args->across.count);
    if ((int64_t)args->part_count * p.chunks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return STK_CUDA_LAUNCH(kernel, args->part_count * p.chunks, p.cv * p.places, 0, stream, *args,
                           p);
}

} // namespace

int stk_cuda_depthwise_parts(const stk_cuda_conv_args *args, int processors)
{
    constexpr int RESIDENT = 2; /* blocks of a multiprocessor */
    int           v = args->dtype == STK_DTYPE_F32 ? 1 : 2;
    dw_plan p = stk::dw_plan_of(args->batch, args->in_c, v, args->down.count, args->across.count);
    int64_t parts = (int64_t)processors * RESIDENT / p.chunks;
    if (parts > p.blocks) parts = p.blocks;
    return parts < 1 ? 1 : (int)parts;
}

cudaError_t stk_cuda_depthwise_weight_launch(const stk_cuda_conv_args *args, cudaStream_t stream)
{
    return STK_CUDA_DW_FLOATS(args, start, args, stream);
}
