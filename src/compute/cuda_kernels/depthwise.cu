/* Depthwise convolutions, and dgrad with stride 1, which is the same with a rotated filter. Bound
 * by memory: compute must hide behind reading x and writing y once. A loaded row serves all result
 * rows that it contributes to. */
#include "compute/cuda_kernels/depthwise.cuh"
#include "compute/cuda_kernels/depthwise_stats.cuh"

namespace
{

using stk::dw_plan;
using stk::dw_word;

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
    using share = stk::dw_share<T, K, S>;
    static constexpr int V = share::V, COLUMNS = share::COLUMNS, TURNS = share::TURNS;

    const dw_plan                 &p;
    const stk::dw_lane            &lane;
    stk::dw_writer<T, V, COLUMNS> &writer;
    int                            row_words;
    float                          w[K * K][V], bias[V], acc[share::LIVE][COLUMNS][V];
    stk::dw_tally<T, V>            moments;

    __device__ __forceinline__ void enter(const stk::dw_item &item)
    {
        constexpr int BEFORE = share::LIVE - 1;
        writer.enter(item.n, item.segment * p.rows - BEFORE, BEFORE, p.rows,
                     (item.strip * p.groups + lane.group) * COLUMNS);
    }
    template <int TURN, int I> __device__ __forceinline__ void add_row(const dw_word *row)
    {
        float x[share::COLS][V];
        stk::dw_read<T, V>(p, lane, row, lane.group * COLUMNS * S, x);
        stk::dw_each_tap<share, TURN, I>([&](int ky, int kx, int at, int t, int v) {
            float before = ky == 0 && kx == 0 ? bias[v] : acc[at][t][v];
            acc[at][t][v] = before + x[S * t + kx][v] * w[ky * K + kx][v];
        });
    }
    template <int TURN> __device__ __forceinline__ void turn(const dw_word *rows)
    {
        if constexpr (TURN < TURNS) {
            add_row<TURN, 0>(rows);
            if constexpr (S == 2) add_row<TURN, 1>(rows + row_words);
            bool written = writer.write(acc[TURN]);
            if constexpr (K == 3)
                if (written && p.statistics) moments.add(acc[TURN], writer.inside);
            turn<TURN + 1>(rows + S * row_words);
        }
    }
    __device__ __forceinline__ void operator()(const dw_word *slot)
    {
        turn<0>(slot);
        if constexpr (TURNS != share::LIVE) stk::dw_shift(acc);
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
        if (p.statistics) to.moments.leave(p, lane, reinterpret_cast<float *>(ring), a.partials);
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
