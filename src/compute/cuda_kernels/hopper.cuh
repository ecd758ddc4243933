/* Instructions of compute capability 9.0: TMA, mbarriers and wgmma, one per function. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_CUH
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_CUH

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace hopper
{

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Barriers that count arrivals and transferred bytes (mbarrier). */
__device__ __forceinline__ void barrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals));
}

__device__ __forceinline__ void barrier_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

/* Waits for the phase of this parity to complete. */
__device__ __forceinline__ void barrier_wait(uint64_t *barrier, uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/* Makes writes to shared memory visible to TMA and tensor cores. */
__device__ __forceinline__ void fence_shared()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Named barrier of a part of the block. id is not 0, which is __syncthreads. */
__device__ __forceinline__ void named_barrier(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ __forceinline__ void load_tile(void *to, const CUtensorMap *map, uint64_t *barrier,
                                          int across, int down)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
                 "l"(map), "r"(shared_address(barrier)), "r"(across), "r"(down)
                 : "memory");
}

__device__ __forceinline__ void store_tile(const CUtensorMap *map, const void *from, int across,
                                           int down)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], "
                 "[%1];" ::"l"(map),
                 "r"(shared_address(from)), "r"(across), "r"(down)
                 : "memory");
}

__device__ __forceinline__ void stores_end_group()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until the sources of all bulk stores may be overwritten. */
__device__ __forceinline__ void stores_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* Matrix descriptor: rows of 128 bytes, groups of eight rows 1024 bytes apart, swizzled as by
 * TMA. */
__device__ __forceinline__ uint64_t describe(const void *tile)
{
    constexpr uint64_t GROUP = 1024 >> 4, SWIZZLED_128 = 1;
    uint64_t           address = (shared_address(tile) & 0x3ffff) >> 4;
    return address | 1ull << 16 | GROUP << 32 | SWIZZLED_128 << 62;
}

__device__ __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit_group()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until at most N groups are in flight. */
template <int N> __device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

/* The same for a transposed matrix: 64 elements of the other dimension per row, 16 rows per step,
 * the next 64 at a distance of chunk bytes. */
__device__ __forceinline__ uint64_t describe_across(const void *tile, int chunk)
{
    return (describe(tile) & ~(0x3fffull << 16)) | (uint64_t)(chunk >> 4) << 16;
}

/* d (+)= a[64,16] * b[columns,16]^T; add 0 overwrites d. ACROSS: b is stored as [16,columns]. */
/* clang-format off */
#define STK_HOPPER_MULTIPLY_64(T, NAME) \
    template <int ACROSS> \
    __device__ __forceinline__ void multiply(float (&d)[32], uint64_t a, uint64_t b, int add, T) \
    { \
        asm volatile( \
            "{\n" \
            ".reg .pred add;\n" \
            "setp.ne.b32 add, %34, 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n64k16.f32." NAME "." NAME " {" \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31" \
            "}, %32, %33, add, 1, 1, 0, %35;\n" \
            "}" \
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), \
              "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), \
              "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), \
              "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
              "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), \
              "+f"(d[30]), "+f"(d[31]) \
            : "l"(a), "l"(b), "r"(add), "n"(ACROSS)); \
    }

#define STK_HOPPER_MULTIPLY_128(T, NAME) \
    template <int ACROSS> \
    __device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int add, T) \
    { \
        asm volatile( \
            "{\n" \
            ".reg .pred add;\n" \
            "setp.ne.b32 add, %66, 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n128k16.f32." NAME "." NAME " {" \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
            "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
            "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63" \
            "}, %64, %65, add, 1, 1, 0, %67;\n" \
            "}" \
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), \
              "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), \
              "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), \
              "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
              "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), \
              "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), \
              "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), \
              "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), \
              "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), \
              "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), \
              "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]) \
            : "l"(a), "l"(b), "r"(add), "n"(ACROSS)); \
    }
/* clang-format on */
STK_HOPPER_MULTIPLY_64(__half, "f16")
STK_HOPPER_MULTIPLY_64(__nv_bfloat16, "bf16")
STK_HOPPER_MULTIPLY_128(__half, "f16")
STK_HOPPER_MULTIPLY_128(__nv_bfloat16, "bf16")
#undef STK_HOPPER_MULTIPLY_64
#undef STK_HOPPER_MULTIPLY_128

/* Releases or claims registers of the warp group (setmaxnreg). */
template <int N> __device__ __forceinline__ void give_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

template <int N> __device__ __forceinline__ void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

/* Four blocks of 8x8 16-bit elements; lane i holds the address of row i % 8 of block i / 8. */
__device__ __forceinline__ void load_blocks(uint32_t address, uint32_t (&r)[4])
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

__device__ __forceinline__ void store_blocks(uint32_t address, const uint32_t (&r)[4])
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
        "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
        : "memory");
}

/* As store_blocks, each block transposed. */
__device__ __forceinline__ void store_blocks_turned(uint32_t address, const uint32_t (&r)[4])
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(
            address),
        "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
        : "memory");
}

} // namespace hopper

#endif
