/* GEMM with an addend. */
#include "compute/cuda_kernels/hopper_addend.cuh"

namespace
{

using namespace product;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <int TILE, typename T>
__device__ __forceinline__ void compute(const stk_cuda_gemm_args &a, const memory &m,
                                        const CUtensorMap *x, const CUtensorMap *y,
                                        const CUtensorMap *addend, int group)
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
        if (first) load_plus<TILE>(m, addend, column, (int)row);
        multiply_tile<TILE, T, 1>(a, m, x, p, group, r, c, d);
        hopper::barrier_wait(m.addend_full, parity);
        add_result<TILE, T>(m.result, d);
        write_result<TILE, T>(m.result, d);
        hopper::fence_shared();
        hopper::named_barrier(1 + group, GROUP);
        if (!first) continue;
        if (row < a.rows) store_result<TILE>(m.result, y, column, (int)row);
    }
    if (first) hopper::stores_wait_read();
}

#endif

template <int TILE, typename T>
__global__ void __launch_bounds__(THREADS, 1)
    with_sum(const __grid_constant__ stk_cuda_gemm_args a, const __grid_constant__ CUtensorMap x,
             const __grid_constant__ CUtensorMap w, const __grid_constant__ CUtensorMap y,
             const __grid_constant__ CUtensorMap addend)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char dynamic[];
    int                             group = (int)threadIdx.x / GROUP;
    set_up<TILE>(dynamic, (int)a.depth);
    const memory m = memory_of<TILE>(dynamic, (int)a.depth, group);
    if (threadIdx.x == 0) copy_w<TILE, 1>(a, m, &w);
    compute<TILE, T>(a, m, &x, &y, &addend, group);
#endif
}

template <int TILE, typename T> struct sum {
    static cudaError_t start(const stk_cuda_gemm_args *a, cudaStream_t stream)
    {
        CUtensorMap map[4];
        cudaError_t code = encode_all(a, map);
        return code == cudaSuccess
                   ? launch(with_sum<TILE, T>, a, stream, map[0], map[1], map[2], map[3])
                   : code;
    }
};

} // namespace

cudaError_t stk_cuda_gemm_sum_launch(const stk_cuda_gemm_args *args, cudaStream_t stream)
{
    return start<sum>(args, stream);
}
