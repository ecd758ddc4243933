/* mma.sync and ldmatrix for compute capability 8.0 and later, one instruction per function. All
 * lanes of a warp call them together. Elements are 16-bit, two per word; lane l is in line l / 4
 * and column l % 4. */
#ifndef STK_COMPUTE_CUDA_KERNELS_MMA_CUH
#define STK_COMPUTE_CUDA_KERNELS_MMA_CUH

#include "compute/cuda_kernels/launch.cuh"

namespace stk
{

#ifdef __CUDACC__

typedef uint32_t shared_at; /* bytes */

__device__ __forceinline__ shared_at shared_of(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Loads COUNT (2 or 4) squares of 8 rows of 16 bytes. Lane l holds the address of row l % 8 of
 * square l / 8. It receives words [line][column] of each, or with TURNED elements [2 column, 2
 * column + 1][line]. */
template <bool TURNED, int COUNT>
__device__ __forceinline__ void load_squares(shared_at row, uint32_t (&to)[COUNT])
{
    static_assert(COUNT == 2 || COUNT == 4, "");
    if constexpr (COUNT == 4 && !TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(row));
    if constexpr (COUNT == 4 && TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(row));
    if constexpr (COUNT == 2 && TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(to[0]), "=r"(to[1])
                     : "r"(row));
}

/* d[16][8] += a[16][16] b[16][8]. Of a: rows line and line + 8 of its left half, then of its right;
 * of b: rows 2 column, 2 column + 1, then those 8 further down, in column line; of d: columns
 * 2 column and 2 column + 1 of row line, then of row line + 8. */
__device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1, __half)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1, __nv_bfloat16)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#else
#include <emulate_mma.hpp>
#endif

} // namespace stk

#endif
