/* wgmma instructions with as many columns as image rows have pixels. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_WIDE_CUH
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_WIDE_CUH

#include "compute/cuda_kernels/hopper.cuh"

namespace hopper
{

/* d[64,columns] (+)= a[64,16] * b[columns,16]^T; add 0 overwrites d. A_ACROSS: a is stored as
 * [16,64]; B_ACROSS: b as [16,columns]. */
/* clang-format off */
#define STK_TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define STK_60 STK_TEN() STK_TEN(1) STK_TEN(2) STK_TEN(3) STK_TEN(4) STK_TEN(5)
#define STK_FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define STK_16(i) STK_FOUR(i), STK_FOUR(i + 4), STK_FOUR(i + 8), STK_FOUR(i + 12)
#define STK_64 STK_16(0), STK_16(16), STK_16(32), STK_16(48)

#define STK_HOPPER_WIDE(COLUMNS, NAME, TYPE, REGISTERS, A, B, ADD, A_TURNED, B_TURNED, ...) \
    template <int A_ACROSS, int B_ACROSS> \
    __device__ __forceinline__ void multiply(float (&d)[COLUMNS / 2], uint64_t a, uint64_t b, int add, TYPE) \
    { \
        asm volatile( \
            "{\n" \
            ".reg .pred add;\n" \
            "setp.ne.b32 add, " ADD ", 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n" #COLUMNS "k16.f32." NAME "." NAME " {" REGISTERS "}, " \
            A ", " B ", add, 1, 1, " A_TURNED ", " B_TURNED ";\n" \
            "}" \
            : __VA_ARGS__ \
            : "l"(a), "l"(b), "r"(add), "n"(A_ACROSS), "n"(B_ACROSS)); \
    }
#define STK_HOPPER_TYPES(COLUMNS, ...) \
    STK_HOPPER_WIDE(COLUMNS, "f16", __half, __VA_ARGS__) \
    STK_HOPPER_WIDE(COLUMNS, "bf16", __nv_bfloat16, __VA_ARGS__)

STK_HOPPER_TYPES(136, STK_60 "%60, %61, %62, %63, %64, %65, %66, %67", "%68", "%69", "%70", "%71", "%72",
                 STK_64, STK_FOUR(64))
STK_HOPPER_TYPES(192, STK_60 STK_TEN(6) STK_TEN(7) STK_TEN(8) "%90, %91, %92, %93, %94, %95",
                 "%96", "%97", "%98", "%99", "%100", STK_64, STK_16(64), STK_16(80))
STK_HOPPER_TYPES(232, STK_60 STK_TEN(6) STK_TEN(7) STK_TEN(8) STK_TEN(9) STK_TEN(10) "%110, %111, %112, %113, %114, %115",
                 "%116", "%117", "%118", "%119", "%120", STK_64, STK_16(64), STK_16(80), STK_16(96), STK_FOUR(112))
#undef STK_HOPPER_TYPES
#undef STK_HOPPER_WIDE
#undef STK_64
#undef STK_16
#undef STK_FOUR
#undef STK_60
#undef STK_TEN
/* clang-format on */

} // namespace hopper

#endif
