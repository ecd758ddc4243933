/* With another matrix added: it comes to where the result will be, while that is computed. */
#include "backend/cuda/own/hopper_product.cuh"

namespace
{

using namespace product;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <typename T> __device__ __forceinline__ void add_pair(uint32_t word, float &a, float &b)
{
    union {
        uint32_t word;
        T        at[2];
    } u = {word};
    a += stk::to_float(u.at[0]);
    b += stk::to_float(u.at[1]);
}

/* As write_result puts it there. */
template <int TILE, typename T>
__device__ __forceinline__ void add_result(const unsigned char *result, float (&d)[TILE / 2])
{
    int warp = threadIdx.x % GROUP / 32, lane = threadIdx.x % 32;
    int row = warp * 16 + lane % 8 + (lane / 8 & 1) * 8;
#pragma unroll
    for (int c = 0; c < TILE; c += 16) {
        float   *e = &d[c / 2];
        uint32_t r[4];
        hopper::load_blocks(hopper::shared_address(result) + swizzled(row, c + lane / 16 * 8), r);
#pragma unroll
        for (int i = 0; i < 4; i++)
            add_pair<T>(r[i], e[2 * i], e[2 * i + 1]);
    }
}

template <int TILE>
__device__ __forceinline__ void load_plus(const memory &m, const CUtensorMap *plus, int column,
                                          int row)
{
    hopper::stores_wait_read();
    hopper::barrier_expect(m.plus_full, layout<TILE>::RESULT);
#pragma unroll
    for (int at = 0; at < TILE; at += 64)
        hopper::load_tile(m.result + at / 64 * CHUNK, plus, m.plus_full, column + at, row);
}

template <int TILE, typename T>
__device__ __forceinline__ void compute(const stk_cuda_product_args &a, const memory &m,
                                        const CUtensorMap *x, const CUtensorMap *y,
                                        const CUtensorMap *plus, int group)
{
    const place p = place_of(a);
    ring        r = {m.slots};
    cursor      c = {p.first, 0};
    bool        first = threadIdx.x % GROUP == 0;
    int         column = p.tile_column * TILE;
    uint32_t    parity = 0;
    for (int i = 0; i < m.slots && first; i++)
        copy_next(a, m, x, p, group, i, c);
    hopper::barrier_wait(m.w_full, 0);
    for (int64_t tile = p.first; tile < p.tiles; tile += p.step, parity ^= 1) {
        float   d[TILE / 2];
        int64_t row = tile * ROWS + group * EACH;
        if (first) load_plus<TILE>(m, plus, column, (int)row);
        multiply_tile<TILE, T, 1>(a, m, x, p, group, r, c, d);
        hopper::barrier_wait(m.plus_full, parity);
        add_result<TILE, T>(m.result, d);
        write_result<TILE, T>(m.result, d);
        hopper::fence_shared();
        hopper::meet(1 + group, GROUP);
        if (!first) continue;
        if (row < a.rows) store_result<TILE>(m, y, column, (int)row);
    }
    if (first) hopper::stores_wait_read();
}

#endif

template <int TILE, typename T>
__global__ void __launch_bounds__(THREADS, 1)
    with_sum(const __grid_constant__ stk_cuda_product_args a, const __grid_constant__ CUtensorMap x,
             const __grid_constant__ CUtensorMap w, const __grid_constant__ CUtensorMap y,
             const __grid_constant__ CUtensorMap plus)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char dynamic[];
    int                             group = (int)threadIdx.x / GROUP;
    set_up<TILE>(dynamic, (int)a.depth);
    const memory m = memory_of<TILE>(dynamic, (int)a.depth, group);
    if (threadIdx.x == 0) copy_w<TILE, 1>(a, m, &w);
    compute<TILE, T>(a, m, &x, &y, &plus, group);
#endif
}

template <int TILE, typename T> struct sum {
    static cudaError_t start(const stk_cuda_product_args *a, cudaStream_t stream)
    {
        CUtensorMap map[4];
        cudaError_t code = encode(a, a->x, a->rows, a->depth, EACH, &map[0]);
        if (code == cudaSuccess) code = encode(a, a->w, a->depth, a->columns, DEPTH, &map[1]);
        if (code == cudaSuccess) code = encode(a, a->y, a->rows, a->columns, EACH, &map[2]);
        if (code == cudaSuccess) code = encode(a, a->plus, a->rows, a->columns, EACH, &map[3]);
        if (code != cudaSuccess) return code;
        return launch(with_sum<TILE, T>, a, map, stream);
    }
};

} // namespace

cudaError_t stk_cuda_product_sum_launch(const stk_cuda_product_args *args, cudaStream_t stream)
{
    return start<sum>(args, stream);
}
