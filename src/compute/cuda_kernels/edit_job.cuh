/* An edit with ops, shared by the threads of a block. */
#ifndef STK_COMPUTE_CUDA_KERNELS_EDIT_JOB_CUH
#define STK_COMPUTE_CUDA_KERNELS_EDIT_JOB_CUH

#include "compute/cuda_kernels/edit_paint.cuh"
#include "compute/cuda_kernels/edit_window.cuh"
#include "edit/edit_warp.h"

namespace stk
{

/* The kernel is launched once per pass. */
enum edit_pass {
    EDIT_COPY, /* windows without ops; also sums grey for contrast */
    EDIT_KEEP, /* intermediate images, for warps that cannot read the source directly */
    EDIT_MAKE
};

struct edit_work : stk_cuda_edit_args {
    int32_t   pass, parts, tiles; /* parts and tiles per image */
    uint64_t *sums;               /* per part */
    uint8_t  *kept;               /* intermediate images, of the result's size */
};

struct edit_job {
    edit_work     args;
    stk_edit      edit;
    edit_window   window;
    int           steps;
    int           kept;   /* ops before the warp that reads the intermediate image; -1: none */
    int           baked;  /* ops already applied to the pixels at origin */
    int           summed; /* the contrast whose sum the first pass computes; the op count: none */
    bool          asks;   /* pixels are computed recursively, all in the second pass */
    int32_t       mean[STK_EDIT_OPS];
    edit_paint    paint[STK_EDIT_OPS];
    stk_edit_warp warp[STK_EDIT_OPS];
    uint32_t      lower[HUE_WORDS];
    bool is_inside; /* the window lies inside the source, in readable words; then the fields below
                       are valid */
    const uint8_t *origin;      /* the first pixel */
    int32_t        right, down; /* bytes between pixels and between rows */
};

/* The job of this block, in shared memory. A function instead of a reference, so that called
 * functions know the address space. */
__device__ __forceinline__ edit_job &this_job()
{
    __shared__ edit_job job;
    return job;
}

/* Images are processed in tiles, one per warp at a time. */
constexpr int EDIT_THREADS = 256, EDIT_WARPS = EDIT_THREADS / WARP;
constexpr int TILE_WIDTH = 32, TILE_HEIGHT = 4;
constexpr int TILE_ROW = TILE_WIDTH + 8; /* words; avoids bank conflicts between rows */

struct edit_position {
    int32_t x, y;
};

/* The tile of this thread's warp: pixels as words, red in the lowest byte. */
__device__ __forceinline__ uint32_t (&this_tile())[TILE_HEIGHT][TILE_ROW]
{
    __shared__ __align__(16) uint32_t tiles[EDIT_WARPS][TILE_HEIGHT][TILE_ROW];
    return tiles[threadIdx.x / WARP];
}

/* Words containing image bytes may be read, unless they extend past the last image. */
__device__ __forceinline__ void place_window(const stk_cuda_edit_args &a, edit_job &j)
{
    const edit_window &w = j.window;
    const bool         flips_x = w.flip & STK_EDIT_FLIP_X, flips_y = w.flip & STK_EDIT_FLIP_Y;
    const int64_t      row = (int64_t)a.source_width * a.channels;
    const int64_t      x = (int64_t)w.x + (flips_x ? a.width - 1 : 0);
    const int64_t      y = (int64_t)w.y + (flips_y ? a.height - 1 : 0);
    const bool         in_words = a.rows * a.source_height * row % 4 == 0;
    const bool         is_small = a.source_height * row <= INT32_MAX;
    j.is_inside = w.source && in_words && is_small && w.x >= 0 && w.y >= 0 &&
                  (int64_t)w.x + a.width <= a.source_width &&
                  (int64_t)w.y + a.height <= a.source_height;
    if (!j.is_inside) return;
    j.origin = w.source + y * row + x * a.channels;
    j.right = flips_x ? -a.channels : a.channels;
    j.down = (int32_t)(flips_y ? -row : row);
}

/* Index after the last warp among the first ops; 0: none. */
__device__ __forceinline__ int last_warp(const edit_job &j, int steps)
{
    int last = 0;
#pragma unroll
    for (int i = 0; i < STK_EDIT_OPS; i++)
        if (i < steps && j.edit.step[i].kind == STK_EDIT_WARP) last = i + 1;
    return last;
}

/* STK_EDIT_OPS: there is no such op. */
__device__ __forceinline__ int first_of(const edit_job &j, int32_t kind)
{
    int first = STK_EDIT_OPS;
#pragma unroll
    for (int i = STK_EDIT_OPS - 1; i >= 0; i--)
        if (j.edit.step[i].kind == kind) first = i;
    return first;
}

/* Applies colour ops once before a warp, instead of per sample; and turns a window that leaves its
 * source into one that does not. */
__device__ __forceinline__ void plan_passes(const edit_work &a, int64_t image, edit_job &j)
{
    j.steps = first_of(j, STK_EDIT_END);
    const int  contrast = stk_edit_min(first_of(j, STK_EDIT_CONTRAST), j.steps);
    const int  last = last_warp(j, j.steps), seen = last_warp(j, contrast);
    const bool can_gather = a.channels == 3 && a.width > 1;
    j.asks = last > 0 && !can_gather;
    j.kept = can_gather && (last > 1 || (last == 1 && !j.is_inside)) ? last - 1 : -1;
    const bool is_easy = seen == 0 || (seen == 1 && can_gather && j.is_inside);
    j.summed = is_easy && !j.asks ? contrast : j.steps;
    j.baked = 0;
    if (j.kept < 0 || a.pass != EDIT_MAKE) return;
    j.baked = j.kept;
    j.is_inside = true;
    j.right = a.channels;
    j.down = a.width * a.channels;
    j.origin = a.kept + image * ((int64_t)a.height * j.down);
}

/* Called by all threads of the block. */
__device__ __forceinline__ void begin_job(const edit_work &a, int64_t image, edit_job &j)
{
    const int at = (int)threadIdx.x, step = at - WARP;
    if (at < STK_EDIT_WORDS) ((int32_t *)&j.edit)[at] = ((const int32_t *)(a.edits + image))[at];
    __syncthreads();
    if (at == 0) {
        j.args = a;
        j.window = window_of(a, &j.edit);
        place_window(a, j);
        plan_passes(a, image, j);
    } else if (step >= 0 && step < STK_EDIT_OPS) {
        j.mean[step] = 0;
        j.paint[step] = paint_of(j.edit.step[step], a.channels);
        if (j.edit.step[step].kind == STK_EDIT_WARP)
            j.warp[step] = stk_edit_warp_of(&j.edit.step[step], a.width, a.height);
    } else if (at == 2 * WARP) {
        set_lower_hues(j.lower);
    }
    __syncthreads();
}

} // namespace stk

#endif
