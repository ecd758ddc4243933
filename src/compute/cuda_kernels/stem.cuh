/* Iteration down images, shared by forward and wgrad of a first convolution. */
#ifndef STK_COMPUTE_CUDA_KERNELS_STEM_CUH
#define STK_COMPUTE_CUDA_KERNELS_STEM_CUH

#include "compute/cuda_kernels/mma.cuh"
#include "compute/cuda_kernels/stem.h"
#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h>
#endif

namespace stk
{

typedef stk_cuda_conv_args stem_args;
typedef stk_cuda_stem_plan stem_plan;

struct stem_call {
    stem_args a;
    stem_plan p;
};

constexpr int STEM_WARPS = STK_CUDA_STEM_WARPS, STEM_THREADS = STK_CUDA_STEM_THREADS;
constexpr int STEM_TILE = STK_CUDA_STEM_TILE, STEM_UNIT = STK_CUDA_STEM_UNIT;
constexpr int STEM_PIXEL = STK_CUDA_STEM_PIXEL;

/* A filter of K rows and stride S. With stride 1 a unit starts at every pixel, so each pixel is
 * stored twice: tensor cores load 16-byte aligned units. */
template <int K, int S> struct stem_shape {
    static constexpr int UNITS = STK_CUDA_STEM_COLUMNS(K) / 2; /* of a filter row */
    static constexpr int APART = S == 2 ? 1 : 2; /* units between those of adjacent results in x */
};

/* A step: its first result row, and the ring position of its first row of x. */
struct stem_position {
    int64_t image;
    int     row, base;
};

__device__ __forceinline__ int stem_wrap(const stem_plan &p, int row)
{
    return row >= p.ring ? row - p.ring : row;
}

/* Equal in all lanes; hides that from the compiler. */
__device__ __forceinline__ int stem_warp()
{
    return __shfl_sync(0xffffffffu, (int)threadIdx.x / WARP, 0);
}

/* Loads a unit of a row of x, with zeros around the image. */
template <int S>
__device__ __forceinline__ void stem_bring_unit(const stem_args &a, const stem_plan &p,
                                                int64_t image, int y, int u, unsigned char *to)
{
    constexpr int BYTES = STEM_PIXEL * 2;
    unsigned      width = (unsigned)a.across.size;
    int           x = u * S - a.across.before - p.lead;
    bool          inside = (unsigned)y < (unsigned)a.down.size;
    const char   *all = (const char *)a.x;
    const char   *row = all + (inside ? image * a.down.size + y : 0) * (a.across.size * BYTES);
    if (S == 2 && width % 2 == 0) {
        bool there = inside && (unsigned)x < width;
        __pipeline_memcpy_async(to, there ? row + x * BYTES : all, STEM_UNIT,
                                there ? 0 : STEM_UNIT);
        return;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        bool there = inside && (unsigned)(x + i) < width;
        __pipeline_memcpy_async(to + i * BYTES, there ? row + (x + i) * BYTES : all, BYTES,
                                there ? 0 : BYTES);
    }
}

/* Loads the rows of x that a step needs and the previous one has not loaded, if both are of one
 * image; they follow in the ring. A warp loads 32 units at a time. */
template <int K, int S>
__device__ __forceinline__ void stem_bring(const stem_args &a, const stem_plan &p, bool fresh,
                                           stem_position &at, unsigned char *ring)
{
    int inner = K + (p.rows - 1) * S, count = fresh ? inner : p.rows * S;
    int end = stem_wrap(p, at.base + inner), first = at.row * S - a.down.before + inner - count;
    int wide = (p.pitch + WARP - 1) / WARP * WARP;
    for (int r = 0, u = stem_warp() * WARP;; u += STEM_THREADS) {
        for (; u >= wide; r++)
            u -= wide;
        if (r >= count) break;
        int mine = u + (int)threadIdx.x % WARP;
        if (mine < p.pitch)
            stem_bring_unit<S>(a, p, at.image, first + r, mine,
                               ring + (stem_wrap(p, end + r) * p.pitch + mine) * STEM_UNIT);
    }
    at.base = fresh ? end : stem_wrap(p, at.base + count);
}

__device__ __forceinline__ void stem_fence()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* Runs the block's share of all steps: more(place) loads other inputs of a step, use(place)
 * computes once all are loaded. begin() is called once while the first step loads. FENCED: for
 * wgmma, which reads shared memory asynchronously. */
template <int K, int S, bool FENCED = false, typename MORE, typename BEGIN, typename USE>
__device__ __forceinline__ void stem_stream(const stem_args &a, const stem_plan &p,
                                            unsigned char *ring, MORE more, BEGIN begin, USE use)
{
    int64_t       all = a.batch * p.steps, step = all * blockIdx.x / gridDim.x;
    int64_t       last = all * (blockIdx.x + 1) / gridDim.x;
    stem_position next = {step / p.steps, (int)(step % p.steps) * p.rows, 0};
    if (step == last) return;
    stem_bring<K, S>(a, p, true, next, ring);
    more(next);
    __pipeline_commit();
    begin();
    for (; step < last; step++) {
        stem_position now = next;
        __pipeline_wait_prior(0);
        if (FENCED) stem_fence();
        __syncthreads();
        if (step + 1 < last) {
            next.row += p.rows;
            bool fresh = next.row >= a.down.count;
            if (fresh) next.image++, next.row = 0;
            stem_bring<K, S>(a, p, fresh, next, ring);
            more(next);
            __pipeline_commit();
        }
        use(now);
    }
}

/* Rows of x of a result row, as byte offsets in the ring: those from left on wrap to its start. */
struct stem_rows {
    int first, left;

    __device__ __forceinline__ int operator()(const stem_plan &p, int y) const
    {
        return first + (y < left ? y : y - p.ring) * p.pitch * STEM_UNIT;
    }
};

/* For a tile of a result row of the step; below: starting that many rows of x further down. */
template <int S>
__device__ __forceinline__ stem_rows stem_rows_of(const stem_plan &p, const stem_position &now,
                                                  int row, int tile, int below)
{
    int at = stem_wrap(p, now.base + row * S + below);
    return {(at * p.pitch + tile * STEM_TILE) * STEM_UNIT, p.ring - at};
}

} // namespace stk

#endif
