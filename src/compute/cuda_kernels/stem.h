/* First convolutions of image networks: up to four input channels, padded to four; 16-bit; stride 1
 * or 2. Tensor cores of compute capability 8.0 or later.
 *
 * Elements of a filter row are contiguous in x too: a filter row for 16 adjacent results reads one
 * row of x with a stride of `stride` pixels. The filter is zero-padded so that 16 bytes, two
 * pixels, are one step of it.
 *
 * A block goes down images, some result rows per step; rows of x stream through a ring in shared
 * memory, one step ahead. */
#ifndef STK_COMPUTE_CUDA_KERNELS_STEM_H
#define STK_COMPUTE_CUDA_KERNELS_STEM_H

#include "compute/cuda_kernels/conv.h"
#include <stdbool.h>

STK_CUDA_BEGIN

enum {
    STK_CUDA_STEM_PIXEL = 4,  /* elements */
    STK_CUDA_STEM_TILE = 16,  /* results of a row computed together */
    STK_CUDA_STEM_UNIT = 16,  /* bytes */
    STK_CUDA_STEM_WARPS = 4,  /* per block */
    STK_CUDA_STEM_WIDE = 112, /* results of a row, and channels, per wgmma group */
    STK_CUDA_STEM_CHANNELS = 64,
    STK_CUDA_STEM_THREADS = STK_CUDA_STEM_WARPS * 32
};

/* Resident blocks per multiprocessor. */
#define STK_CUDA_STEM_RESIDENT(kernel) ((kernel) == 7 ? 3 : 4)
/* Filter columns, with zeros. */
#define STK_CUDA_STEM_COLUMNS(kernel) ((kernel) == 7 ? 8 : 4)
/* wgrad: iterations over channels, 16 at a time. */
#define STK_CUDA_STEM_SIXTEENS(channels) ((channels) > 32 ? 4 : (channels) > 16 ? 2 : 1)

typedef struct stk_cuda_stem_plan {
    int  kernel;      /* rows, with zeros: 3 or 7 */
    int  lead;        /* zero columns before the first, so that units of x start at even pixels */
    int  tiles;       /* per result row */
    int  eights;      /* forward: groups of eight output channels per warp */
    int  groups;      /* forward: warps for all channels */
    int  rows, steps; /* result rows per step; steps per image */
    int  pitch, ring; /* of x: units per row, rows in shared memory */
    int  blocks;
    int  partials;   /* per block: of weights (wgrad), of statistics */
    int  shared;     /* bytes */
    bool statistics; /* forward: also mean and variance of the result, as partials */
} stk_cuda_stem_plan;

/* False: not supported, or images are too wide. */
bool stk_cuda_stem_plan_of(const stk_cuda_conv_args *args, bool by_weight, int processors,
                           stk_cuda_stem_plan *out);

/* Partials of statistics are laid out as in depthwise.h. */
cudaError_t stk_cuda_stem_launch(const stk_cuda_conv_args *args, const stk_cuda_stem_plan *plan,
                                 cudaStream_t stream);
/* Writes plan->blocks * plan->partials partials of dw, in its layout with padding. */
cudaError_t stk_cuda_stem_weight_launch(const stk_cuda_conv_args *args,
                                        const stk_cuda_stem_plan *plan, cudaStream_t stream);

/* The same by wgmma, for compute capability 9.0 only. */
bool        stk_cuda_stem_wide_can(const stk_cuda_conv_args *args, const stk_cuda_stem_plan *plan,
                                   bool by_weight);
cudaError_t stk_cuda_stem_wide_launch(const stk_cuda_conv_args *args,
                                      const stk_cuda_stem_plan *plan, cudaStream_t stream);
cudaError_t stk_cuda_stem_wide_weight_launch(const stk_cuda_conv_args *args,
                                             const stk_cuda_stem_plan *plan, cudaStream_t stream);

STK_CUDA_END
#endif
