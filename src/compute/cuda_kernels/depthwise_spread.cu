/* dgrad of depthwise convolutions with stride 2. Positions in dx count its padding, starting at an
 * even one: then every second row and column has the same taps. */
#include "compute/cuda_kernels/depthwise.cuh"

namespace
{

using stk::dw_plan;
using stk::dw_word;

/* A row of dy whose first tap is row 0 of acc. Column j of dy contributes to columns from 2 (j -
 * REACH) on. */
template <int K, int V, int COLUMNS, int COLS>
__device__ __forceinline__ void spread_row(const float (&dy)[COLS][V], const float (&w)[K * K][V],
                                           float (&acc)[K][COLUMNS][V])
{
    constexpr int REACH = (K - 1) / 2;
#pragma unroll
    for (int ky = 0; ky < K; ky++)
#pragma unroll
        for (int j = 0; j < COLS; j++)
#pragma unroll
            for (int kx = 0; kx < K; kx++) {
                const int t = 2 * (j - REACH) + kx;
                if (t < 0 || t >= COLUMNS) continue;
#pragma unroll
                for (int v = 0; v < V; v++)
                    acc[ky][t][v] += dy[j][v] * w[ky * K + kx][v];
            }
}

/* Writes rows 0 and 1; two more start. */
template <int K, int V, int COLUMNS>
__device__ __forceinline__ void shift(float (&acc)[K][COLUMNS][V])
{
#pragma unroll
    for (int i = 0; i < K; i++)
#pragma unroll
        for (int t = 0; t < COLUMNS; t++)
#pragma unroll
            for (int v = 0; v < V; v++)
                acc[i][t][v] = i + 2 < K ? acc[i + 2 < K ? i + 2 : 0][t][v] : 0;
}

template <int K> struct rows_of_dy {
    static constexpr int REACH = (K - 1) / 2;

    const stk_cuda_conv_args &a;
    const dw_plan            &p;
    stk::dw_feed             &dy;

    __device__ __forceinline__ void enter(const stk::dw_item &item)
    {
        int row = item.segment * (p.rows / 2) + a.down.before / 2 - REACH;
        dy.enter(item.n, row,
                 item.strip * p.groups * (STK_CUDA_DW_COLUMNS(K, 2) / 2) + a.across.before / 2 -
                     REACH,
                 row + p.rows / 2 + REACH);
    }
    template <int UNIT> __device__ __forceinline__ void copy(dw_word *slot)
    {
        dy.copy<UNIT>(slot);
    }
};

template <typename T, int K> struct rows_of_dx {
    static constexpr int V = stk::DW_V<T>, REACH = (K - 1) / 2, COLUMNS = STK_CUDA_DW_COLUMNS(K, 2);
    static constexpr int COLS = COLUMNS / 2 + REACH;

    const stk_cuda_conv_args      &a;
    const dw_plan                 &p;
    const stk::dw_lane            &lane;
    stk::dw_writer<T, V, COLUMNS> &writer;
    float                          w[K * K][V], acc[K][COLUMNS][V];

    __device__ __forceinline__ void enter(const stk::dw_item &item)
    {
        writer.enter(item.n, item.segment * p.rows - a.down.before % 2 - 2 * REACH, 2 * REACH,
                     p.rows, (item.strip * p.groups + lane.group) * COLUMNS - a.across.before % 2);
    }
    __device__ __forceinline__ void operator()(const dw_word *slot)
    {
        float dy[COLS][V];
        stk::dw_read<T, V>(p, lane, slot, lane.group * (COLUMNS / 2), dy);
        spread_row<K>(dy, w, acc);
        writer.write(acc[0]);
        writer.write(acc[1]);
        shift<K>(acc);
    }
};

template <typename T, int K>
__global__ void __launch_bounds__(STK_CUDA_DW_THREADS, STK_CUDA_DW_RESIDENT(K, 2))
    spread(const __grid_constant__ stk_cuda_conv_args a, const __grid_constant__ dw_plan p)
{
    using use = rows_of_dx<T, K>;
    STK_CUDA_DYNAMIC(dw_word, ring);
    const int    columns = p.groups * (use::COLUMNS / 2) + use::REACH;
    stk::dw_lane lane(p);
    stk::dw_feed dy(p, lane, a.dy, a.down.count, a.across.count, columns);
    stk::dw_writer<T, use::V, use::COLUMNS> writer(a, p, lane, a.down.size, a.across.size);
    rows_of_dy<K>                           from = {a, p, dy};
    use                                     to = {a, p, lane, writer, {}, {}};
    stk::dw_weights<T, use::V>(lane, a.w, false, to.w);
    stk::dw_stream<STK_CUDA_DW_AHEAD(use::COLUMNS / 2)>(p, ring, columns * p.wide, from, to);
}

template <typename T>
cudaError_t start(const stk_cuda_conv_args *args, const dw_plan *p, cudaStream_t stream)
{
    auto *kernel = args->down.kernel == 3 ? spread<T, 3> : spread<T, 5>;
    return STK_CUDA_LAUNCH(kernel, p->blocks * p->chunks, p->wide * p->groups, (size_t)p->shared,
                           stream, *args, *p);
}

} // namespace

cudaError_t stk_cuda_depthwise_spread_launch(const stk_cuda_conv_args *args, const dw_plan *plan,
                                             cudaStream_t stream)
{
    if (args->batch == 0) return cudaSuccess;
    return STK_CUDA_FLOATS(args->dtype, start, args, plan, stream);
}
