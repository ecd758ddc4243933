/* The first convolution of networks for images of 224 on wgmma: 64 channels, with weights or
 * gradients in registers and units of x in the ring. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_STEM_CUH
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_STEM_CUH

#include "compute/cuda_kernels/hopper.cuh"
#include "compute/cuda_kernels/stem.cuh"

namespace hopper
{

/* Matrix descriptor of units: 8 adjacent units form a block of 8x8 elements. Blocks along pixels
 * are eight units apart, along the filter row one. */
__device__ __forceinline__ uint64_t describe_units(uint32_t at, bool pixels_are_summed)
{
    constexpr uint64_t PIXELS = 128 >> 4, ROW = 16 >> 4;
    uint64_t           leading = pixels_are_summed ? PIXELS : ROW;
    uint64_t           stride = pixels_are_summed ? ROW : PIXELS;
    return (at & 0x3ffff) >> 4 | leading << 16 | stride << 32;
}

/* clang-format off */
#define STK_HOPPER_FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define STK_HOPPER_16(i) STK_HOPPER_FOUR(i), STK_HOPPER_FOUR(i + 4), STK_HOPPER_FOUR(i + 8), STK_HOPPER_FOUR(i + 12)
#define STK_HOPPER_ROWS(T, NAME) \
    /* d[64][112] (+)= a[64][16] b[112][16]^T */ \
    __device__ __forceinline__ void multiply(float (&d)[56], const uint32_t (&a)[4], uint64_t b, int add, T) \
    { \
        asm volatile( \
            "{\n" \
            ".reg .pred add;\n" \
            "setp.ne.b32 add, %61, 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n112k16.f32." NAME "." NAME " {" \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
            "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
            "%48, %49, %50, %51, %52, %53, %54, %55" \
            "}, {%56, %57, %58, %59}, %60, add, 1, 1, 0;\n" \
            "}" \
            : STK_HOPPER_16(0), STK_HOPPER_16(16), STK_HOPPER_16(32), STK_HOPPER_FOUR(48), STK_HOPPER_FOUR(52) \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add)); \
    } \
    /* d[64][32] += a[64][16] b[16][32] */ \
    __device__ __forceinline__ void multiply(float (&d)[16], const uint32_t (&a)[4], uint64_t b, T) \
    { \
        asm volatile( \
            "{\n" \
            ".reg .pred add;\n" \
            "setp.ne.b32 add, %21, 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n32k16.f32." NAME "." NAME " {" \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15" \
            "}, {%16, %17, %18, %19}, %20, add, 1, 1, 1;\n" \
            "}" \
            : STK_HOPPER_16(0) \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1)); \
    }
/* clang-format on */
STK_HOPPER_ROWS(__half, "f16")
STK_HOPPER_ROWS(__nv_bfloat16, "bf16")
#undef STK_HOPPER_ROWS
#undef STK_HOPPER_16
#undef STK_HOPPER_FOUR

} // namespace hopper

#endif
