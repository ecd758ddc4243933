/* GEMM with addend, mask bits and two sums per column. A group reads each result once more while it
 * is in shared memory, together with the norm's input. Sums stay in registers across all rows. */
#include "compute/cuda_kernels/hopper_addend.cuh"

namespace
{

using namespace product;

constexpr int RESULTS = 2; /* matrices of the result's size: the result and norm_x */

template <int TILE> struct lookers {
    static constexpr int ACROSS = TILE / VECTOR, DOWN = GROUP / ACROSS; /* threads of a group */
};

/* Of VECTOR columns. */
struct sums {
    float with_x[VECTOR], sum[VECTOR];
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/* Mask bits of a thread's two rows: one byte per 8 columns. */
template <int TILE> struct row_bits {
    static constexpr int WORDS = TILE / 32;
    uint32_t             word[2][WORDS];
};

/* row: the group's first. */
template <int TILE>
__device__ __forceinline__ void load_bits(const stk_cuda_gemm_args &a, int column, int64_t row,
                                          row_bits<TILE> &to)
{
    typedef stk::pack<uint32_t, row_bits<TILE>::WORDS> words;
    row += threadIdx.x % GROUP / 32 * 16 + threadIdx.x % 32 / 4;
#pragma unroll
    for (int h = 0; h < 2; h++, row += 8) {
        words v = {};
        if (row < a.rows) v = *(const words *)(a.bits + (row * a.columns + column) / 8);
#pragma unroll
        for (int i = 0; i < row_bits<TILE>::WORDS; i++)
            to.word[h][i] = v.at[i];
    }
}

template <int TILE>
__device__ __forceinline__ void keep_set(const row_bits<TILE> &bits, float (&d)[TILE / 2])
{
    int pair = threadIdx.x % 4 * 2;
#pragma unroll
    for (int j = 0; j < TILE / 8; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            uint32_t two = bits.word[h][j / 4] >> (j % 4 * 8 + pair);
            if (!(two & 1)) d[j * 4 + h * 2] = 0;
            if (!(two & 2)) d[j * 4 + h * 2 + 1] = 0;
        }
}

/* Loads addend and norm_x; the group must be done with the previous ones. */
template <int TILE>
__device__ __forceinline__ void load_both(const memory &m, const CUtensorMap *addend,
                                          const CUtensorMap *norm_x, int column, int row)
{
    unsigned char *to = m.norm_x;
    hopper::stores_wait_read();
    hopper::barrier_expect(m.addend_full, 2 * layout<TILE>::RESULT);
#pragma unroll
    for (int at = 0; at < TILE; at += 64) {
        hopper::load_tile(m.result + at / 64 * CHUNK, addend, m.addend_full, column + at, row);
        hopper::load_tile(to + at / 64 * CHUNK, norm_x, m.addend_full, column + at, row);
    }
}

template <typename T>
__device__ __forceinline__ void add(const stk::pack<T, VECTOR> &dz, const stk::pack<T, VECTOR> &x,
                                    const float (&mean)[VECTOR], sums                          &s)
{
#pragma unroll
    for (int k = 0; k < VECTOR; k++) {
        float v = stk::to_float(dz.at[k]);
        s.sum[k] += v;
        s.with_x[k] = fmaf(v, stk::to_float(x.at[k]) - mean[k], s.with_x[k]);
    }
}

/* rows is EACH, except in the last tile. */
template <int TILE, typename T>
__device__ __forceinline__ void look_again(const memory &m, const float *means, int rows, sums &s)
{
    using L = lookers<TILE>;
    typedef stk::pack<T, VECTOR> line;
    constexpr int                LINES = EACH / L::DOWN;
    int   across = threadIdx.x % GROUP % L::ACROSS, down = threadIdx.x % GROUP / L::ACROSS;
    float mean[VECTOR];
#pragma unroll
    for (int k = 0; k < VECTOR; k++)
        mean[k] = means[across * VECTOR + k];
#pragma unroll 4
    for (int i = 0; i < LINES; i++) {
        int row = down + i * L::DOWN, at = swizzled(row, across * VECTOR);
        if (row < rows)
            add<T>(*(const line *)(m.result + at), *(const line *)(m.norm_x + at), mean, s);
    }
}

template <int TILE, typename T>
__device__ __forceinline__ void compute(const stk_cuda_gemm_args &a, const memory &m,
                                        const CUtensorMap *x, const CUtensorMap *y,
                                        const CUtensorMap *addend, const CUtensorMap *norm_x,
                                        const float *means, int group, sums &s)
{
    const place p = place_of(a);
    ring        r = {m.slots};
    cursor      c = {p.first, 0};
    bool        first = threadIdx.x % GROUP == 0;
    int         column = p.tile_column * TILE;
    uint32_t    parity = 0;
    for (int i = 0; i < m.slots && first; i++)
        copy_next(a, m, x, p, group, i, c);
    if (first) load_both<TILE>(m, addend, norm_x, column, p.first * ROWS + group * EACH);
    hopper::barrier_wait(m.w_full, 0);
    for (int64_t tile = p.first; tile < p.tiles; tile += p.step, parity ^= 1) {
        float          d[TILE / 2];
        row_bits<TILE> bits;
        int64_t        row = tile * ROWS + group * EACH;
        int            rows = a.rows - row < EACH ? (int)(a.rows - row) : EACH;
        load_bits<TILE>(a, column, row, bits);
        multiply_tile<TILE, T, 1>(a, m, x, p, group, r, c, d);
        hopper::barrier_wait(m.addend_full, parity);
        add_result<TILE, T>(m.result, d);
        keep_set<TILE>(bits, d);
        write_result<TILE, T>(m.result, d);
        hopper::fence_shared();
        hopper::named_barrier(1 + group, GROUP);
        if (first && rows > 0) store_result<TILE>(m.result, y, column, (int)row);
        look_again<TILE, T>(m, means, rows, s);
        hopper::named_barrier(1 + group, GROUP);
        if (first && tile + p.step < p.tiles)
            load_both<TILE>(m, addend, norm_x, column, (int)(tile + p.step) * ROWS + group * EACH);
    }
    if (first) hopper::stores_wait_read();
}

/* Reduces the threads of a column to the block's partial. */
template <int TILE>
__device__ __forceinline__ void leave(const stk_cuda_gemm_args &a, float *smem, int group,
                                      const sums &s)
{
    using L = lookers<TILE>;
    constexpr int LINES = GROUPS * L::DOWN, LANES = THREADS / TILE;
    int           across = threadIdx.x % GROUP % L::ACROSS, down = threadIdx.x % GROUP / L::ACROSS;
    int           line = group * L::DOWN + down;
    float        *with_x = smem, *sum = smem + LINES * TILE;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VECTOR; k++) {
        with_x[line * TILE + across * VECTOR + k] = s.with_x[k];
        sum[line * TILE + across * VECTOR + k] = s.sum[k];
    }
    __syncthreads();
    int    c = threadIdx.x % TILE, lane = threadIdx.x / TILE;
    float2 all = {};
    for (int i = lane; i < LINES; i += LANES) {
        all.x += with_x[i * TILE + c];
        all.y += sum[i * TILE + c];
    }
    __syncthreads();
    with_x[lane * TILE + c] = all.x;
    sum[lane * TILE + c] = all.y;
    __syncthreads();
    if (lane) return;
    for (int i = 1; i < LANES; i++) {
        all.x += with_x[i * TILE + c];
        all.y += sum[i * TILE + c];
    }
    __stcg((float2 *)a.partials + (int64_t)blockIdx.x * TILE + c, all);
}

/* The last block of a column tile adds the partials of all in order: LANES threads per column, each
 * a share of the blocks, then one of them. */
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
    int           column = p.tile_column * TILE + c;
    const float2 *part = (const float2 *)a.partials + column;
    double        with_x = 0, sum = 0;
#pragma unroll 8
    for (int b = lane; b < p.step; b += LANES) {
        float2 v = __ldcg(part + (int64_t)b * tiles * TILE);
        with_x += (double)v.x;
        sum += (double)v.y;
    }
    smem[(lane * 2) * TILE + c] = with_x;
    smem[(lane * 2 + 1) * TILE + c] = sum;
    __syncthreads();
    if (lane) return;
    for (int l = 1; l < LANES; l++) {
        with_x += smem[(l * 2) * TILE + c];
        sum += smem[(l * 2 + 1) * TILE + c];
    }
    if (a.dgamma) a.dgamma[column] = (float)(with_x * (double)a.invstd[column]);
    if (a.dbeta) a.dbeta[column] = (float)sum;
}

#endif

template <int TILE, typename T>
__global__ void __launch_bounds__(THREADS, 1)
    with_norm(const __grid_constant__ stk_cuda_gemm_args a, const __grid_constant__ CUtensorMap x,
              const __grid_constant__ CUtensorMap w, const __grid_constant__ CUtensorMap y,
              const __grid_constant__ CUtensorMap addend,
              const __grid_constant__ CUtensorMap norm_x)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char dynamic[];
    __shared__ bool                 is_last;
    __shared__ float                means[TILE];
    int                             group = (int)threadIdx.x / GROUP;
    if (threadIdx.x < TILE)
        means[threadIdx.x] = a.mean[place_of(a).tile_column * TILE + threadIdx.x];
    set_up<TILE, RESULTS>(dynamic, (int)a.depth);
    const memory m = memory_of<TILE, RESULTS>(dynamic, (int)a.depth, group);
    sums         s = {};
    if (threadIdx.x == 0) copy_w<TILE, 1>(a, m, &w);
    compute<TILE, T>(a, m, &x, &y, &addend, &norm_x, means, group, s);
    /* The buffers of results and slots are free. */
    unsigned char *smem = m.result - group * layout<TILE>::RESULT;
    leave<TILE>(a, (float *)smem, group, s);
    finish<TILE>(a, (double *)smem, &is_last);
#endif
}

template <int TILE, typename T> struct norm_kernel {
    static cudaError_t start(const stk_cuda_gemm_args *a, cudaStream_t stream)
    {
        CUtensorMap map[4], norm_x;
        cudaError_t code = encode_all(a, map);
        if (code == cudaSuccess) code = encode(a, a->norm_x, a->rows, a->columns, EACH, &norm_x);
        if (code != cudaSuccess) return code;
        return launch<RESULTS>(with_norm<TILE, T>, a, stream, map[0], map[1], map[2], map[3],
                               norm_x);
    }
};

} // namespace

cudaError_t stk_cuda_gemm_norm_launch(const stk_cuda_gemm_args *args, cudaStream_t stream)
{
    return start<norm_kernel>(args, stream);
}
