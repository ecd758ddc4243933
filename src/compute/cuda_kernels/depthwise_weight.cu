/* wgrad of depthwise convolutions: threads sum their taps over positions, blocks over threads, and
 * a second launch over blocks. */
#include "compute/cuda_kernels/depthwise.cuh"

namespace
{

using stk::dw_plan;
using stk::dw_word;

/* Sums over the threads of a block that have the same word, in order. */
template <int V, int SUMS>
__device__ __forceinline__ void add_up(const stk_cuda_conv_args &a, const dw_plan &p,
                                       const stk::dw_lane &lane, const float (&sum)[SUMS][V])
{
    __shared__ float shared[STK_CUDA_DW_THREADS * V];
    int64_t          count = (int64_t)a.in_c * (SUMS - 1 + (a.dbias ? 1 : 0));
    float           *part = a.partials + blockIdx.x / (unsigned)p.chunks * count;
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

/* Rows of dy past the end of an item are zeros, so rows of x that belong to the next item
 * contribute nothing. */
template <int K, int S> struct rows_of_both {
    const stk_cuda_conv_args &a;
    const dw_plan            &p;
    stk::dw_feed             &x, &dy;
    int                       row_words, turn_words; /* of a row of x; of a complete turn */

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
    using share = stk::dw_share<T, K, S>;
    static constexpr int V = share::V, COLUMNS = share::COLUMNS, TURNS = share::TURNS;

    const dw_plan      &p;
    const stk::dw_lane &lane;
    int                 row_words, turn_words;
    bool                bias;
    float               sum[K * K + 1][V], dy[share::LIVE][COLUMNS][V];

    __device__ __forceinline__ void enter(const stk::dw_item &)
    {
    }
    template <int TURN, int I> __device__ __forceinline__ void add_row(const dw_word *row)
    {
        float x[share::COLS][V];
        stk::dw_read<T, V>(p, lane, row, lane.group * COLUMNS * S, x);
        stk::dw_each_tap<share, TURN, I>([&](int ky, int kx, int at, int t, int v) {
            sum[ky * K + kx][v] += x[S * t + kx][v] * dy[at][t][v];
        });
    }
    template <int TURN> __device__ __forceinline__ void turn(const dw_word *rows)
    {
        if constexpr (TURN < TURNS) {
            float(&came)[COLUMNS][V] = dy[(share::LIVE - 1 + TURN) % share::LIVE];
            stk::dw_read<T, V>(p, lane, rows + S * row_words, lane.group * COLUMNS, came);
            if (bias) add_bias(came);
            add_row<TURN, 0>(rows);
            if constexpr (S == 2) add_row<TURN, 1>(rows + row_words);
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
        if constexpr (TURNS != share::LIVE) stk::dw_shift(dy);
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
