/* Thread block clusters with distributed shared memory. A cluster spans all blocks in x. Without
 * hardware clusters, or in grids one block wide, a cluster is a block. Their memory is
 * STK_CUDA_DYNAMIC. Blocks exchange data once: arriving bytes are counted by a barrier, which is
 * cheaper than a cluster barrier with its memory fence. */
#ifndef STK_COMPUTE_CUDA_KERNELS_CLUSTER_CUH
#define STK_COMPUTE_CUDA_KERNELS_CLUSTER_CUH

#include "compute/cuda_kernels/launch.cuh"

namespace stk
{

/* All threads call begin with the bytes each block will receive, then begun, then wait; then all
 * data has arrived. In between, give writes to another block's copy of an address. */
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
    uint64_t came; /* unused */

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
