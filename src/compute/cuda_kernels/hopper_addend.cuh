/* The addend of a GEMM: loaded into the result's buffer while the GEMM is computed. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_ADDEND_CUH
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_ADDEND_CUH

#include "compute/cuda_kernels/hopper_gemm.cuh"

namespace product
{

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

/* In the layout of write_result. */
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
__device__ __forceinline__ void load_plus(const memory &m, const CUtensorMap *addend, int column,
                                          int row)
{
    hopper::stores_wait_read();
    hopper::barrier_expect(m.addend_full, layout<TILE>::RESULT);
#pragma unroll
    for (int at = 0; at < TILE; at += 64)
        hopper::load_tile(m.result + at / 64 * CHUNK, addend, m.addend_full, column + at, row);
}

#endif

inline cudaError_t encode_all(const stk_cuda_gemm_args *a, CUtensorMap (&map)[4])
{
    cudaError_t code = encode(a, a->x, a->rows, a->depth, EACH, &map[0]);
    if (code == cudaSuccess) code = encode(a, a->w, a->depth, a->columns, DEPTH, &map[1]);
    if (code == cudaSuccess) code = encode(a, a->y, a->rows, a->columns, EACH, &map[2]);
    if (code == cudaSuccess) code = encode(a, a->addend, a->rows, a->columns, EACH, &map[3]);
    return code;
}

} // namespace product

#endif
