/* Gradients of depthwise convolutions by weights: every thread sums its taps over the places it
 * comes by, a block adds up those of its threads, and what blocks found is added up after. */
#include "backend/cuda/own/depthwise.cuh"

namespace
{

using stk::dw_plan;
using stk::dw_word;

/* Row I of x of those that come with turn TURN, with all rows of dy that it is part of: the last of
 * them came with it. dy is a ring. */
template <int K, int S, int TURN, int I, int V, int LIVE, int COLUMNS, int COLS>
__device__ __forceinline__ void
add_row(const float (&x)[COLS][V], const float (&dy)[LIVE][COLUMNS][V], float (&sum)[K * K + 1][V])
{
#pragma unroll
    for (int live = 0; live < LIVE; live++) {
        const int ky = I + S * (LIVE - 1 - live), at = (live + TURN) % LIVE;
        if (ky >= K) continue;
#pragma unroll
        for (int kx = 0; kx < K; kx++)
#pragma unroll
            for (int t = 0; t < COLUMNS; t++)
#pragma unroll
                for (int v = 0; v < V; v++)
                    sum[ky * K + kx][v] += x[S * t + kx][v] * dy[at][t][v];
    }
}

/* Where a step is one turn, the ring is turned by moving it. */
template <int V, int LIVE, int COLUMNS>
__device__ __forceinline__ void shift(float (&dy)[LIVE][COLUMNS][V])
{
#pragma unroll
    for (int live = 0; live + 1 < LIVE; live++)
#pragma unroll
        for (int t = 0; t < COLUMNS; t++)
#pragma unroll
            for (int v = 0; v < V; v++)
                dy[live][t][v] = dy[live + 1][t][v];
}

/* The threads of a block that have the same word, one after the other. */
template <int V, int SUMS>
__device__ __forceinline__ void add_up(const stk_cuda_conv_args &a, const dw_plan &p,
                                       const stk::dw_lane &lane, const float (&sum)[SUMS][V])
{
    __shared__ float shared[STK_CUDA_DW_THREADS * V];
    int64_t          count = (int64_t)a.in_c * (SUMS - 1 + (a.dbias ? 1 : 0));
    float           *part = a.parts + blockIdx.x / (unsigned)p.chunks * count;
    int              me = (int)threadIdx.x, channels = p.wide * V;
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        if (i == SUMS - 1 && !a.dbias) return;
#pragma unroll
        for (int v = 0; v < V; v++)
            shared[me * V + v] = sum[i][v];
        __syncthreads();
#pragma unroll 1
        for (int k = me; k < channels && lane.first * V + k < a.in_c; k += p.wide * p.groups) {
            int64_t c = lane.first * V + k;
            float   all = 0;
#pragma unroll 1
            for (int group = 0; group < p.groups; group++)
                all += shared[group * channels + k];
            part[i < SUMS - 1 ? c * (SUMS - 1) + i : (int64_t)a.in_c * (SUMS - 1) + c] = all;
        }
        __syncthreads();
    }
}

/* Rows of dy past the end of an item, which the last of x still come by, are zeros: those of x that
 * belong to the next item find nothing left. */
template <int K, int S> struct rows_of_both {
    const stk_cuda_conv_args &a;
    const dw_plan            &p;
    stk::dw_feed             &x, &dy;
    int                       row_words, turn_words; /* of a row of x; of all of a turn */

    __device__ __forceinline__ void enter(const stk::dw_item &item)
    {
        int first = item.segment * p.rows, row = first * S - a.down.before;
        int column = item.strip * p.groups * STK_CUDA_DW_COLUMNS(K, S);
        x.enter(item.n, row, column * S - a.across.before, row + (p.rows - 1) * S + K);
        dy.enter(item.n, first, column, first + p.rows);
    }
    template <int UNIT> __device__ __forceinline__ void copy(dw_word *slot)
    {
        constexpr int TURNS = STK_CUDA_DW_TURNS(K, S);
#pragma unroll(UNIT == 4 ? TURNS : 1)
        for (int turn = 0; turn < TURNS; turn++, slot += turn_words) {
#pragma unroll(UNIT == 4 ? S : 1)
            for (int i = 0; i < S; i++)
                x.copy<UNIT>(slot + i * row_words);
            dy.copy<UNIT>(slot + S * row_words);
        }
    }
};

template <typename T, int K, int S> struct sums_of_taps {
    static constexpr int V = stk::DW_V<T>, LIVE = (K - 1) / S + 1,
                         COLUMNS = STK_CUDA_DW_COLUMNS(K, S);
    static constexpr int COLS = S * (COLUMNS - 1) + K, TURNS = STK_CUDA_DW_TURNS(K, S);

    const dw_plan      &p;
    const stk::dw_lane &lane;
    int                 row_words, turn_words;
    bool                bias;
    float               sum[K * K + 1][V], dy[LIVE][COLUMNS][V];

    __device__ __forceinline__ void enter(const stk::dw_item &)
    {
    }
    template <int TURN> __device__ __forceinline__ void turn(const dw_word *rows)
    {
        if constexpr (TURN < TURNS) {
            float line[COLS][V], (&came)[COLUMNS][V] = dy[(LIVE - 1 + TURN) % LIVE];
            stk::dw_read<T, V>(p, lane, rows + S * row_words, lane.group * COLUMNS, came);
            if (bias) add_bias(came);
            stk::dw_read<T, V>(p, lane, rows, lane.group * COLUMNS * S, line);
            add_row<K, S, TURN, 0>(line, dy, sum);
            if constexpr (S == 2) {
                stk::dw_read<T, V>(p, lane, rows + row_words, lane.group * COLUMNS * S, line);
                add_row<K, S, TURN, 1>(line, dy, sum);
            }
            turn<TURN + 1>(rows + turn_words);
        }
    }
    __device__ __forceinline__ void add_bias(const float (&came)[COLUMNS][V])
    {
#pragma unroll
        for (int t = 0; t < COLUMNS; t++)
#pragma unroll
            for (int v = 0; v < V; v++)
                sum[K * K][v] += came[t][v];
    }
    __device__ __forceinline__ void operator()(const dw_word *slot)
    {
        turn<0>(slot);
        if constexpr (TURNS != LIVE) shift(dy);
    }
};

template <typename T, int K, int S>
__global__ void __launch_bounds__(STK_CUDA_DW_THREADS, STK_CUDA_DW_RESIDENT(K, S))
    by_weight(const __grid_constant__ stk_cuda_conv_args a, const __grid_constant__ dw_plan p)
{
    using use = sums_of_taps<T, K, S>;
    STK_CUDA_DYNAMIC(dw_word, ring);
    const int    columns = p.groups * use::COLUMNS, columns_of_x = columns * S + K - S;
    const int    row_words = columns_of_x * p.wide, turn_words = S * row_words + columns * p.wide;
    stk::dw_lane lane(p);
    stk::dw_feed x(p, lane, a.x, a.down.size, a.across.size, columns_of_x);
    stk::dw_feed dy(p, lane, a.dy, a.down.count, a.across.count, columns);
    rows_of_both<K, S> from = {a, p, x, dy, row_words, turn_words};
    use                to = {p, lane, row_words, turn_words, a.dbias != nullptr, {}, {}};
    stk::dw_stream<STK_CUDA_DW_AHEAD(use::COLUMNS * (S * S + 1) * use::TURNS)>(
        p, ring, turn_words * use::TURNS, from, to);
    add_up(a, p, lane, to.sum);
}

template <typename T, int K, int S>
cudaError_t start(const stk_cuda_conv_args *args, const dw_plan *p, cudaStream_t stream)
{
    auto *kernel = by_weight<T, K, S>;
    return STK_CUDA_LAUNCH(kernel, p->blocks * p->chunks, p->wide * p->groups, (size_t)p->shared,
                           stream, *args, *p);
}

} // namespace

cudaError_t stk_cuda_depthwise_weight_launch(const stk_cuda_conv_args *args, const dw_plan *plan,
                                             cudaStream_t stream)
{
    return STK_CUDA_DW_FLOATS(args, start, args, plan, stream);
}
