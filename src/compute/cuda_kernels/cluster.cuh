/* Blocks that run at the same time and write into each other's shared memory. A kernel's clusters
 * are all blocks beside each other in x; where GPUs have none, and in grids that are one block
 * wide, a cluster is a block. Memory of theirs is STK_CUDA_DYNAMIC. Each block gets what all give,
 * once: what comes counts itself, so that nobody waits for more than that (a barrier of all threads
 * would first wait until memory outside agrees, too). */
#ifndef STK_COMPUTE_CUDA_KERNELS_CLUSTER_CUH
#define STK_COMPUTE_CUDA_KERNELS_CLUSTER_CUH

#include "compute/cuda_kernels/launch.cuh"

namespace stk
{

/* In all threads begin, with the bytes that come to each block, then begun, then wait, after which
 * all is there. In between give, to what another block has where this one has here. */
struct meeting;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

__device__ __forceinline__ uint32_t shared_at(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

struct meeting {
    uint64_t came;

    __device__ __forceinline__ void begin(int bytes)
    {
        if (gridDim.x == 1) return;
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_at(&came)));
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile(
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_at(&came)),
                "r"(bytes)
                : "memory");
        }
        asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    }

    __device__ __forceinline__ void begun()
    {
        if (gridDim.x > 1) asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    }

    __device__ __forceinline__ void give(const float4 &what, float4 *here, int block)
    {
        if (gridDim.x == 1) {
            *here = what;
            return;
        }
        asm volatile("{.reg .u32 there, count;\n"
                     "mapa.shared::cluster.u32 there, %0, %2;\n"
                     "mapa.shared::cluster.u32 count, %1, %2;\n"
                     "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [there], "
                     "{%3, %4, %5, %6}, [count];}" ::"r"(shared_at(here)),
                     "r"(shared_at(&came)), "r"(block), "f"(what.x), "f"(what.y), "f"(what.z),
                     "f"(what.w)
                     : "memory");
    }

    __device__ __forceinline__ void wait()
    {
        if (gridDim.x == 1) {
            __syncthreads();
            return;
        }
        asm volatile("{.reg .pred all;\n"
                     "stk_again_%=: mbarrier.try_wait.parity.shared::cta.b64 all, [%0], 0;\n"
                     "@!all bra stk_again_%=;}" ::"r"(shared_at(&came))
                     : "memory");
    }
};

#else

struct meeting {
    uint64_t came; /* not used */

    __device__ __forceinline__ void begin(int)
    {
    }
    __device__ __forceinline__ void begun()
    {
    }
    __device__ __forceinline__ void give(const float4 &what, float4 *here, int block)
    {
#ifdef __CUDACC__
        *here = what;
#else
        *(float4 *)stk_emulated::dynamic_of(here, block) = what;
#endif
    }
    __device__ __forceinline__ void wait()
    {
#ifdef __CUDACC__
        __syncthreads();
#else
        stk_emulated::cluster_barrier();
#endif
    }
};

#endif

} // namespace stk

#endif
