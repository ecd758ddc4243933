/* Depthwise convolutions, and their gradients by x where the stride is 1: the same with the kernel
 * turned. These are bound by memory: all that is computed must hide behind reading x and writing y
 * once. What is read of a row serves all rows of results that it is part of. */
#include "backend/cuda/own/depthwise.cuh"
#include "backend/cuda/own/depthwise_stats.cuh"

namespace
{

using stk::dw_plan;
using stk::dw_word;

/* Row I of those that come with turn TURN, to the LIVE rows of results that it is part of: the last
 * of them begins with it. acc is a ring. */
template <int K, int S, int TURN, int I, int V, int LIVE, int COLUMNS, int COLS>
__device__ __forceinline__ void add_row(const float (&x)[COLS][V], const float (&w)[K * K][V],
                                        const float (&bias)[V], float (&acc)[LIVE][COLUMNS][V])
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
                    acc[at][t][v] = (ky == 0 && kx == 0 ? bias[v] : acc[at][t][v]) +
                                    x[S * t + kx][v] * w[ky * K + kx][v];
    }
}

/* Where a step is one turn, the ring is turned by moving it. */
template <int V, int LIVE, int COLUMNS>
__device__ __forceinline__ void shift(float (&acc)[LIVE][COLUMNS][V])
{
#pragma unroll
    for (int live = 0; live + 1 < LIVE; live++)
#pragma unroll
        for (int t = 0; t < COLUMNS; t++)
#pragma unroll
            for (int v = 0; v < V; v++)
                acc[live][t][v] = acc[live + 1][t][v];
}

template <int K, int S> struct rows_of_x {
    const stk_cuda_conv_args &a;
    const dw_plan            &p;
    stk::dw_feed             &x;
    int                       row_words;

    __device__ __forceinline__ void enter(const stk::dw_item &item)
    {
        int row = item.segment * p.rows * S - a.down.before;
        x.enter(item.n, row,
                item.strip * p.groups * (STK_CUDA_DW_COLUMNS(K, S) * S) - a.across.before,
                row + (p.rows - 1) * S + K);
    }
    template <int UNIT> __device__ __forceinline__ void copy(dw_word *slot)
    {
        constexpr int ROWS = S * STK_CUDA_DW_TURNS(K, S);
#pragma unroll(UNIT == 4 ? ROWS : 1)
        for (int i = 0; i < ROWS; i++)
            x.copy<UNIT>(slot + i * row_words);
    }
};

template <typename T, int K, int S> struct rows_of_y {
    static constexpr int V = stk::DW_V<T>, LIVE = (K - 1) / S + 1,
                         COLUMNS = STK_CUDA_DW_COLUMNS(K, S);
    static constexpr int COLS = S * (COLUMNS - 1) + K, TURNS = STK_CUDA_DW_TURNS(K, S);

    const dw_plan                 &p;
    const stk::dw_lane            &lane;
    stk::dw_writer<T, V, COLUMNS> &writer;
    int                            row_words;
    float                          w[K * K][V], bias[V], acc[LIVE][COLUMNS][V];
    stk::dw_tally<T, V>            tally;

    __device__ __forceinline__ void enter(const stk::dw_item &item)
    {
        writer.enter(item.n, item.segment * p.rows - (LIVE - 1), LIVE - 1, p.rows,
                     (item.strip * p.groups + lane.group) * COLUMNS);
    }
    template <int TURN> __device__ __forceinline__ void turn(const dw_word *rows)
    {
        if constexpr (TURN < TURNS) {
            float line[COLS][V];
            stk::dw_read<T, V>(p, lane, rows, lane.group * COLUMNS * S, line);
            add_row<K, S, TURN, 0>(line, w, bias, acc);
            if constexpr (S == 2) {
                stk::dw_read<T, V>(p, lane, rows + row_words, lane.group * COLUMNS * S, line);
                add_row<K, S, TURN, 1>(line, w, bias, acc);
            }
            bool written = writer.write(acc[TURN]);
            if constexpr (K == 3)
                if (written && p.statistics) tally.add(acc[TURN], writer.inside);
            turn<TURN + 1>(rows + S * row_words);
        }
    }
    __device__ __forceinline__ void operator()(const dw_word *slot)
    {
        turn<0>(slot);
        if constexpr (TURNS != LIVE) shift(acc);
    }
};

template <typename T, int K, int S>
__global__ void __launch_bounds__(STK_CUDA_DW_THREADS, STK_CUDA_DW_RESIDENT(K, S))
    forward(const __grid_constant__ stk_cuda_conv_args a, const __grid_constant__ dw_plan p,
            bool flip)
{
    using use = rows_of_y<T, K, S>;
    STK_CUDA_DYNAMIC(dw_word, ring);
    const int    columns = p.groups * use::COLUMNS * S + K - S, row_words = columns * p.wide;
    stk::dw_lane lane(p);
    stk::dw_feed x(p, lane, a.x, a.down.size, a.across.size, columns);
    stk::dw_writer<T, use::V, use::COLUMNS> writer(a, p, lane, a.down.count, a.across.count);
    rows_of_x<K, S>                         from = {a, p, x, row_words};
    use                                     to = {p, lane, writer, row_words, {}, {}, {}, {}};
    stk::dw_weights<T, use::V>(lane, a.w, flip, to.w);
#pragma unroll
    for (int v = 0; v < use::V; v++)
        to.bias[v] = a.bias && lane.any ? a.bias[(lane.first + lane.word) * use::V + v] : 0;
    stk::dw_stream<STK_CUDA_DW_AHEAD(use::COLUMNS * S * S * use::TURNS)>(
        p, ring, S * use::TURNS * row_words, from, to);
    if constexpr (K == 3)
        if (p.statistics) to.tally.leave(p, lane, reinterpret_cast<float *>(ring), a.parts);
}

template <typename T, int K, int S>
cudaError_t start(const stk_cuda_conv_args *args, const dw_plan *p, bool flip, cudaStream_t stream)
{
    auto *kernel = forward<T, K, S>;
    return STK_CUDA_LAUNCH(kernel, p->blocks * p->chunks, p->wide * p->groups, (size_t)p->shared,
                           stream, *args, *p, flip);
}

} // namespace

cudaError_t stk_cuda_depthwise_launch(const stk_cuda_conv_args *args, const dw_plan *plan,
                                      bool turned, cudaStream_t stream)
{
    if (args->batch == 0) return cudaSuccess;
    return STK_CUDA_DW_FLOATS(args, start, args, plan, turned, stream);
}
