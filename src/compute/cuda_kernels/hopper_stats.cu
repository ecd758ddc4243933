/* GEMM with mean and variance per column. A group reads each result once more while it is in shared
 * memory. Sums stay in registers across all rows. */
#include "compute/cuda_kernels/hopper_gemm.cuh"

namespace
{

using namespace product;

enum { VALUES = 2 }; /* partials per column: mean, and squares around it */

template <int TILE> struct lookers {
    static constexpr int ACROSS = TILE / VECTOR, DOWN = GROUP / ACROSS; /* threads of a group */
};

/* Sums of differences from the first value, for VECTOR columns. */
struct sums {
    float from[VECTOR], sum[VECTOR], squares[VECTOR];
    int   count;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <typename T> __device__ __forceinline__ void add(const stk::pack<T, VECTOR> &v, sums &s)
{
#pragma unroll
    for (int k = 0; k < VECTOR; k++) {
        float off = stk::to_float(v.at[k]) - s.from[k];
        s.sum[k] += off;
        s.squares[k] = fmaf(off, off, s.squares[k]);
    }
}

/* rows is EACH, except in the last tile. */
template <int TILE, typename T>
__device__ __forceinline__ void look_again(const unsigned char *result, int rows, sums &s)
{
    using L = lookers<TILE>;
    typedef stk::pack<T, VECTOR> line;
    constexpr int                LINES = EACH / L::DOWN, AT_ONCE = LINES < 8 ? LINES : 8;
    int across = threadIdx.x % GROUP % L::ACROSS, down = threadIdx.x % GROUP / L::ACROSS;
    if (!s.count && down < rows) {
        line v = *(const line *)(result + swizzled(down, across * VECTOR));
#pragma unroll
        for (int k = 0; k < VECTOR; k++)
            s.from[k] = stk::to_float(v.at[k]);
    }
    if (rows < EACH) {
        for (int row = down; row < rows; row += L::DOWN, s.count++)
            add<T>(*(const line *)(result + swizzled(row, across * VECTOR)), s);
        return;
    }
#pragma unroll
    for (int i = 0; i < LINES; i += AT_ONCE) {
        line v[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            v[u] = *(const line *)(result + swizzled(down + (i + u) * L::DOWN, across * VECTOR));
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            add<T>(v[u], s);
    }
    s.count += LINES;
}

template <int TILE, typename T>
__device__ __forceinline__ void compute(const stk_cuda_gemm_args &a, const memory &m,
                                        const CUtensorMap *x, const CUtensorMap *y, int group,
                                        sums &s)
{
    const place p = place_of(a);
    ring        r = {m.slots};
    cursor      c = {p.first, 0};
    bool        first = threadIdx.x % GROUP == 0;
    for (int i = 0; i < m.slots && first; i++)
        copy_next(a, m, x, p, group, i, c);
    hopper::barrier_wait(m.w_full, 0);
    for (int64_t tile = p.first; tile < p.tiles; tile += p.step) {
        float   d[TILE / 2];
        int64_t row = tile * ROWS + group * EACH;
        int     rows = a.rows - row < EACH ? (int)(a.rows - row) : EACH;
        multiply_tile<TILE, T, 0>(a, m, x, p, group, r, c, d);
        if (first) hopper::stores_wait_read();
        hopper::named_barrier(1 + group, GROUP);
        write_result<TILE, T>(m.result, d);
        hopper::fence_shared();
        hopper::named_barrier(1 + group, GROUP);
        if (first && rows > 0) store_result<TILE>(m.result, y, p.tile_column * TILE, (int)row);
        look_again<TILE, T>(m.result, rows, s);
    }
    if (first) hopper::stores_wait_read();
}

__device__ __forceinline__ int64_t rows_of_block(const stk_cuda_gemm_args &a, const place &p)
{
    int64_t tiles = (p.tiles - p.first + p.step - 1) / p.step;
    bool    last = p.first + (tiles - 1) * p.step == p.tiles - 1;
    return tiles * ROWS - (last ? p.tiles * ROWS - a.rows : 0);
}

/* Reduces the threads of a column to the block's partial. All sums are converted to the first one's
 * value. */
template <int TILE>
__device__ __forceinline__ void leave(const stk_cuda_gemm_args &a, float *smem, int group,
                                      const sums &s)
{
    using L = lookers<TILE>;
    constexpr int LINES = GROUPS * L::DOWN, LANES = THREADS / TILE;
    int           across = threadIdx.x % GROUP % L::ACROSS, down = threadIdx.x % GROUP / L::ACROSS;
    int           line = group * L::DOWN + down;
    float        *to = smem, *sum = smem + TILE, *squares = sum + LINES * TILE;
    float         n = (float)s.count;
    __syncthreads();
    if (line == 0)
#pragma unroll
        for (int k = 0; k < VECTOR; k++)
            to[across * VECTOR + k] = s.from[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VECTOR; k++) {
        int   c = across * VECTOR + k;
        float off = s.count ? s.from[k] - to[c] : 0;
        sum[line * TILE + c] = s.sum[k] + n * off;
        squares[line * TILE + c] = s.squares[k] + off * (2 * s.sum[k] + n * off);
    }
    __syncthreads();
    int   c = threadIdx.x % TILE, lane = threadIdx.x / TILE;
    float sums[2] = {};
    for (int i = lane; i < LINES; i += LANES) {
        sums[0] += sum[i * TILE + c];
        sums[1] += squares[i * TILE + c];
    }
    __syncthreads();
    sum[lane * TILE + c] = sums[0];
    squares[lane * TILE + c] = sums[1];
    __syncthreads();
    if (lane) return;
    for (int i = 1; i < LANES; i++) {
        sums[0] += sum[i * TILE + c];
        sums[1] += squares[i * TILE + c];
    }
    float mean = sums[0] / (float)rows_of_block(a, place_of(a));
    __stcg((float2 *)a.partials + (int64_t)blockIdx.x * TILE + c,
           make_float2(to[c] + mean, fmaxf(sums[1] - sums[0] * mean, 0)));
}

/* The last block of a column tile merges the partials of all in order: LANES threads per column,
 * each a share of the blocks, then one of them. */
template <int TILE>
__device__ __forceinline__ void finish(const stk_cuda_gemm_args &a, double *smem, bool *is_last)
{
    constexpr int LANES = THREADS / TILE;
    const place   p = place_of(a);
    int           tiles = (int)(a.columns / TILE), thread = (int)threadIdx.x;
    __threadfence();
    __syncthreads();
    if (thread == 0) *is_last = atomicAdd(&a.counters[p.tile_column], 1) == (unsigned)p.step - 1;
    __syncthreads();
    if (!*is_last) return;
    __threadfence();
    if (thread == 0) a.counters[p.tile_column] = 0;
    int           c = thread % TILE, lane = thread / TILE;
    int           all = (int)(p.tiles / p.step), more = (int)(p.tiles % p.step);
    int           last = (int)((p.tiles - 1) % p.step), over = (int)(p.tiles * ROWS - a.rows);
    const float2 *part = (const float2 *)a.partials + (int64_t)p.tile_column * TILE + c;
    double        to = (double)__ldcg(part).x, sum = 0, squares = 0;
#pragma unroll 8
    for (int b = lane; b < p.step; b += LANES) {
        float2 v = __ldcg(part + (int64_t)b * tiles * TILE);
        double n = (double)((all + (b < more)) * ROWS - (b == last ? over : 0));
        double off = (double)v.x - to;
        sum += n * off;
        squares += (double)v.y + n * off * off;
    }
    smem[(lane * 2) * TILE + c] = sum;
    smem[(lane * 2 + 1) * TILE + c] = squares;
    __syncthreads();
    if (lane) return;
    for (int l = 1; l < LANES; l++) {
        sum += smem[(l * 2) * TILE + c];
        squares += smem[(l * 2 + 1) * TILE + c];
    }
    double mean = sum / (double)a.rows, var = squares / (double)a.rows - mean * mean;
    a.mean[p.tile_column * TILE + c] = (float)(to + mean);
    a.var[p.tile_column * TILE + c] = (float)(var < 0 ? 0 : var);
}

#endif

template <int TILE, typename T>
__global__ void __launch_bounds__(THREADS, 1)
    with_statistics(const __grid_constant__ stk_cuda_gemm_args a,
                    const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap w,
                    const __grid_constant__ CUtensorMap y)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char dynamic[];
    __shared__ bool                 is_last;
    int                             group = (int)threadIdx.x / GROUP;
    set_up<TILE>(dynamic, (int)a.depth);
    const memory m = memory_of<TILE>(dynamic, (int)a.depth, group);
    sums         s = {};
    if (threadIdx.x == 0) copy_w<TILE, 0>(a, m, &w);
    compute<TILE, T>(a, m, &x, &y, group, s);
    /* The buffers of results and slots are free. */
    unsigned char *smem = m.result - group * layout<TILE>::RESULT;
    leave<TILE>(a, (float *)smem, group, s);
    finish<TILE>(a, (double *)smem, &is_last);
#endif
}

template <int TILE, typename T> struct statistics {
    static cudaError_t start(const stk_cuda_gemm_args *a, cudaStream_t stream)
    {
        CUtensorMap map[3];
        cudaError_t code = encode(a, a->x, a->rows, a->depth, EACH, &map[0]);
        if (code == cudaSuccess) code = encode(a, a->w, a->columns, a->depth, TILE, &map[1]);
        if (code == cudaSuccess) code = encode(a, a->y, a->rows, a->columns, EACH, &map[2]);
        if (code != cudaSuccess) return code;
        return launch(with_statistics<TILE, T>, a, stream, map[0], map[1], map[2]);
    }
};

} // namespace

bool stk_cuda_gemm_fits(int64_t columns, int64_t depth, int tile, int results)
{
    return columns % tile == 0 && depth % DEPTH == 0 && depth <= 512 &&
           slots_of(tile, depth, results) >= 2;
}

size_t stk_cuda_gemm_bytes(const stk_cuda_gemm_args *args)
{
    int blocks = blocks_of(args->rows, args->columns, args->tile, args->processors);
    return (size_t)blocks * (size_t)args->tile * VALUES * sizeof(float);
}

cudaError_t stk_cuda_gemm_stats_launch(const stk_cuda_gemm_args *args, cudaStream_t stream)
{
    return start<statistics>(args, stream);
}
