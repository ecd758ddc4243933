/* GEMMs on tensor cores of compute capability 9.0, shared by kernels with different epilogues.
 * Blocks are persistent: each keeps one tile of w in shared memory and iterates over tiles of rows.
 * Four warp groups work independently, so that some multiply while others run their epilogue.
 * Results are written to shared memory in their final layout and stored by TMA. A group's first
 * thread prefetches its rows of x. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_GEMM_CUH
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_GEMM_CUH

#include "compute/cuda_kernels/hopper.cuh"
#include "compute/cuda_kernels/hopper_gemm.h"
#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/tensor_map.cuh"

namespace product
{

constexpr int ROWS = STK_CUDA_GEMM_ROWS, DEPTH = 64; /* of a tile; 64 elements are 128 bytes */
constexpr int GROUPS = 4, GROUP = 128;               /* their threads */
constexpr int EACH = ROWS / GROUPS;                  /* rows per group */
constexpr int THREADS = GROUPS * GROUP, WARPS = GROUP / 32;
constexpr int LINE = 128, CHUNK = EACH * LINE;  /* bytes of 64 elements; bytes of 64 rows of them */
constexpr int STEP = 16, STEP_BYTES = STEP * 2; /* depth of one instruction */
constexpr int VECTOR = 8;                       /* elements in 16 bytes */
constexpr int SHARED = 227 * 1024, STATIC = 768, ALIGNMENT = 1024, BARRIERS = 1024;
constexpr int SLOTS = 8; /* most per group: 64 rows of 64 elements each */

template <int TILE> struct layout {
    static constexpr int SLAB = TILE * LINE;       /* bytes of w for a depth of 64 */
    static constexpr int RESULT = EACH * TILE * 2; /* bytes, per group */
};

struct place {
    int     tile_column, first, step; /* of row tiles */
    int64_t tiles;
};

__device__ __forceinline__ place place_of(const stk_cuda_gemm_args &a)
{
    int tiles = (int)(a.columns / a.tile);
    return {(int)blockIdx.x % tiles, (int)blockIdx.x / tiles, (int)gridDim.x / tiles,
            (a.rows + ROWS - 1) / ROWS};
}

/* Shared memory of w, barriers and this many matrices of the result's size. */
__host__ __device__ inline int fixed_of(int tile, int64_t depth, int results)
{
    return ALIGNMENT + BARRIERS + tile * (int)depth * 2 + results * ROWS * tile * 2;
}

/* Slots per group in the remaining shared memory, after static variables of kernels. */
__host__ __device__ inline int slots_of(int tile, int64_t depth, int results)
{
    int slots = (SHARED - STATIC - fixed_of(tile, depth, results)) / (GROUPS * CHUNK);
    return slots > SLOTS ? SLOTS : slots;
}

inline int bytes_of(int tile, int64_t depth, int results)
{
    return fixed_of(tile, depth, results) + slots_of(tile, depth, results) * GROUPS * CHUNK;
}

/* Position in a ring of slots, and parity of the round. */
struct ring {
    int      slots, at = 0;
    uint32_t parity = 0;

    __device__ __forceinline__ void next()
    {
        at = at + 1 == slots ? 0 : at + 1;
        parity ^= at == 0;
    }
};

/* Shared memory of a group. */
struct memory {
    unsigned char *w, *slot, *result,
        *norm_x; /* norm_x: tile of the norm's input, as large as the result */
    uint64_t *w_full, *addend_full, *full, *empty;
    int       slots;
};

template <int TILE, int RESULTS = 1>
__device__ __forceinline__ memory memory_of(unsigned char *dynamic, int depth, int group)
{
    using L = layout<TILE>;
    memory m;
    m.slots = slots_of(TILE, depth, RESULTS);
    m.w = (unsigned char *)(((uintptr_t)dynamic + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    m.result = m.w + depth / DEPTH * L::SLAB + group * L::RESULT;
    m.norm_x = m.result + GROUPS * L::RESULT;
    m.slot = m.w + depth / DEPTH * L::SLAB + RESULTS * GROUPS * L::RESULT + group * m.slots * CHUNK;
    m.w_full = (uint64_t *)(m.slot + (GROUPS - group) * m.slots * CHUNK);
    m.addend_full = m.w_full + 1 + group;
    m.full = m.w_full + 1 + GROUPS + group * 2 * SLOTS;
    m.empty = m.full + SLOTS;
    return m;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/* Loads w as [columns,depth], or ACROSS as [depth,columns]. */
template <int TILE, int ACROSS>
__device__ __forceinline__ void copy_w(const stk_cuda_gemm_args &a, const memory &m,
                                       const CUtensorMap *w)
{
    using L = layout<TILE>;
    int column = place_of(a).tile_column * TILE, depth = (int)a.depth;
    hopper::barrier_expect(m.w_full, (uint32_t)(depth / DEPTH * L::SLAB));
    for (int k = 0; k < depth; k += DEPTH) {
        unsigned char *slab = m.w + k / DEPTH * L::SLAB;
        for (int c = 0; c < TILE && ACROSS; c += DEPTH)
            hopper::load_tile(slab + c / DEPTH * CHUNK, w, m.w_full, column + c, k);
        if (!ACROSS) hopper::load_tile(slab, w, m.w_full, k, column);
    }
}

/* Next copy of a group's first thread: a depth of 64 for the rows of a tile. */
struct cursor {
    int64_t tile;
    int     k;
};

__device__ __forceinline__ void copy_next(const stk_cuda_gemm_args &a, const memory &m,
                                          const CUtensorMap *x, const place &p, int group, int slot,
                                          cursor &c)
{
    if (c.tile >= p.tiles) return;
    hopper::barrier_expect(&m.full[slot], CHUNK);
    hopper::load_tile(m.slot + slot * CHUNK, x, &m.full[slot], c.k,
                      (int)(c.tile * ROWS) + group * EACH);
    c.k += DEPTH;
    if (c.k < (int)a.depth) return;
    c.k = 0;
    c.tile += p.step;
}

/* A slot is free once all warps of the group have multiplied it. */
__device__ __forceinline__ void refill(const stk_cuda_gemm_args &a, const memory &m,
                                       const CUtensorMap *x, const place &p, int group, ring r,
                                       cursor &c)
{
    if (threadIdx.x % 32 == 0) hopper::barrier_arrive(&m.empty[r.at]);
    if (threadIdx.x % GROUP) return;
    hopper::barrier_wait(&m.empty[r.at], r.parity);
    copy_next(a, m, x, p, group, r.at, c);
}

/* Multiplies the complete depth for the rows of a group. */
template <int TILE, typename T, int ACROSS>
__device__ __forceinline__ void multiply_tile(const stk_cuda_gemm_args &a, const memory &m,
                                              const CUtensorMap *x, const place &p, int group,
                                              ring &r, cursor &c, float (&d)[TILE / 2])
{
    ring before = r;
    for (int k = 0; k < (int)a.depth; k += DEPTH) {
        uint64_t             rows = hopper::describe(m.slot + r.at * CHUNK);
        const unsigned char *slab = m.w + k / DEPTH * layout<TILE>::SLAB;
        uint64_t columns = ACROSS ? hopper::describe_across(slab, CHUNK) : hopper::describe(slab);
        hopper::barrier_wait(&m.full[r.at], r.parity);
        hopper::wgmma_fence();
#pragma unroll
        for (int s = 0; s < DEPTH / STEP; s++)
            hopper::multiply<ACROSS>(d, rows + s * (STEP_BYTES >> 4),
                                     columns + s * ((ACROSS ? STEP * LINE : STEP_BYTES) >> 4),
                                     k || s, T());
        hopper::wgmma_commit_group();
        hopper::wgmma_wait<1>();
        if (k) refill(a, m, x, p, group, before, c);
        before = r;
        r.next();
    }
    hopper::wgmma_wait<0>();
    refill(a, m, x, p, group, before, c);
}

template <typename T> __device__ __forceinline__ uint32_t pair(float a, float b)
{
    union {
        T        at[2];
        uint32_t word;
    } u;
    stk::from_float(a, u.at[0]);
    stk::from_float(b, u.at[1]);
    return u.word;
}

/* Offset in chunks of 64 columns: rows of 128 bytes with swizzled 16-byte pieces. */
__device__ __forceinline__ int swizzled(int row, int column)
{
    int piece = column % 64 / VECTOR;
    return column / 64 * CHUNK + row * LINE + (piece ^ (row & 7)) * 16;
}

template <int TILE, typename T>
__device__ __forceinline__ void write_result(unsigned char *result, const float (&d)[TILE / 2])
{
    int warp = threadIdx.x % GROUP / 32, lane = threadIdx.x % 32;
    int row = warp * 16 + lane % 8 + (lane / 8 & 1) * 8;
#pragma unroll
    for (int c = 0; c < TILE; c += 16) {
        const float   *e = &d[c / 2];
        const uint32_t r[4] = {pair<T>(e[0], e[1]), pair<T>(e[2], e[3]), pair<T>(e[4], e[5]),
                               pair<T>(e[6], e[7])};
        hopper::store_blocks(hopper::shared_address(result) + swizzled(row, c + lane / 16 * 8), r);
    }
}

/* Called first, by all threads. */
template <int TILE, int RESULTS = 1>
__device__ __forceinline__ void set_up(unsigned char *dynamic, int depth)
{
    if (threadIdx.x == 0) {
        for (int g = 0; g < GROUPS; g++) {
            const memory m = memory_of<TILE, RESULTS>(dynamic, depth, g);
            for (int i = 0; i < m.slots; i++) {
                hopper::barrier_init(&m.full[i], 1);
                hopper::barrier_init(&m.empty[i], WARPS);
            }
            hopper::barrier_init(m.addend_full, 1);
            if (g == 0) hopper::barrier_init(m.w_full, 1);
        }
        hopper::fence_shared();
    }
    __syncthreads();
}

/* Called by a group's first thread, once the group has written its results. */
template <int TILE>
__device__ __forceinline__ void store_result(const unsigned char *result, const CUtensorMap *y,
                                             int column, int row)
{
#pragma unroll
    for (int at = 0; at < TILE; at += 64)
        hopper::store_tile(y, result + at / 64 * CHUNK, column + at, row);
    hopper::stores_end_group();
}

#endif

/* Tensor map of rows of width elements in boxes of 64 columns. */
inline cudaError_t encode(const stk_cuda_gemm_args *a, const void *data, int64_t height,
                          int64_t width, int box, CUtensorMap *out)
{
    return hopper::encode<2>(a->dtype, data, {width, height}, {DEPTH, box}, out);
}

inline int blocks_of(int64_t rows, int64_t columns, int tile, int processors)
{
    int64_t across = columns / tile, down = processors / across;
    int64_t tiles = (rows + ROWS - 1) / ROWS;
    if (down < 1) down = 1;
    return (int)(across * (down < tiles ? down : tiles));
}

/* Launches KERNEL for the tile and type of args. */
template <template <int, typename> class KERNEL>
cudaError_t start(const stk_cuda_gemm_args *a, cudaStream_t stream)
{
    bool half = a->dtype == STK_DTYPE_F16, wide = a->tile == STK_CUDA_GEMM_WIDE;
    return half ? (wide ? KERNEL<STK_CUDA_GEMM_WIDE, __half>::start(a, stream)
                        : KERNEL<STK_CUDA_GEMM_NARROW, __half>::start(a, stream))
                : (wide ? KERNEL<STK_CUDA_GEMM_WIDE, __nv_bfloat16>::start(a, stream)
                        : KERNEL<STK_CUDA_GEMM_NARROW, __nv_bfloat16>::start(a, stream));
}

template <int RESULTS = 1, typename K, typename... MAPS>
cudaError_t launch(K *kernel, const stk_cuda_gemm_args *a, cudaStream_t stream, const MAPS &...maps)
{
    int         bytes = bytes_of(a->tile, a->depth, RESULTS);
    cudaError_t code = stk::allow_shared(kernel, bytes);
    if (code != cudaSuccess) return code;
    int blocks = blocks_of(a->rows, a->columns, a->tile, a->processors);
    return STK_CUDA_LAUNCH(kernel, blocks, THREADS, bytes, stream, *a, maps...);
}

} // namespace product

#endif
