/* The first convolution of a network for images: up to four channels in, filled up to four; 16
 * bits; stride 1 or 2. By tensor cores, of compute capability 8.0 or later.
 *
 * Elements of a row of the kernel lie one after the other in x as well: a row of it and 16
 * neighbouring results are read out of one row of x, at a distance of stride pixels. The kernel is
 * filled up with zeros so that 16 bytes, two pixels, are a step of it.
 *
 * A block goes down images, some rows of results a step; rows of x come through a ring in shared
 * memory, one step before they are used. */
#ifndef STK_COMPUTE_CUDA_KERNELS_STEM_H
#define STK_COMPUTE_CUDA_KERNELS_STEM_H

#include "compute/cuda_kernels/conv.h"
#include <stdbool.h>

STK_CUDA_BEGIN

enum {
    STK_CUDA_STEM_PIXEL = 4,  /* elements */
    STK_CUDA_STEM_TILE = 16,  /* results of a row that are computed together */
    STK_CUDA_STEM_UNIT = 16,  /* bytes */
    STK_CUDA_STEM_WARPS = 4,  /* of a block */
    STK_CUDA_STEM_WIDE = 112, /* results of a row, and channels, that Hopper computes together */
    STK_CUDA_STEM_CHANNELS = 64,
    STK_CUDA_STEM_THREADS = STK_CUDA_STEM_WARPS * 32
};

/* Blocks that a multiprocessor has at a time. */
#define STK_CUDA_STEM_RESIDENT(kernel) ((kernel) == 7 ? 3 : 4)
/* Columns of the kernel, with zeros. */
#define STK_CUDA_STEM_COLUMNS(kernel) ((kernel) == 7 ? 8 : 4)
/* By weight, 16 channels at a time: how often. */
#define STK_CUDA_STEM_SIXTEENS(channels) ((channels) > 32 ? 4 : (channels) > 16 ? 2 : 1)

typedef struct stk_cuda_stem_plan {
    int  kernel;      /* rows, with zeros: 3 or 7 */
    int  lead;        /* columns of zeros before its first: units of x begin at even pixels */
    int  tiles;       /* of a row of results */
    int  eights;      /* of channels out: that a warp has (forward) */
    int  groups;      /* warps for all channels (forward) */
    int  rows, steps; /* rows of results of a step; steps of an image */
    int  pitch, ring; /* of x: units of a row, rows in shared memory */
    int  blocks;
    int  parts;      /* of a block: of weights (by weight), of statistics */
    int  shared;     /* bytes */
    bool statistics; /* forward: mean and variance of what is written, in parts */
} stk_cuda_stem_plan;

/* False: there is no kernel for it, or an image is too wide. */
bool stk_cuda_stem_plan_of(const stk_cuda_conv_args *args, bool by_weight, int processors,
                           stk_cuda_stem_plan *out);

/* Parts of statistics are as depthwise.h has them. */
cudaError_t stk_cuda_stem_launch(const stk_cuda_conv_args *args, const stk_cuda_stem_plan *plan,
                                 cudaStream_t stream);
/* Gives plan->blocks * plan->parts parts of dw, as it lies with its padding. */
cudaError_t stk_cuda_stem_weight_launch(const stk_cuda_conv_args *args,
                                        const stk_cuda_stem_plan *plan, cudaStream_t stream);

/* The same by Hopper's tensor cores, of compute capability 9.0 alone. */
bool        stk_cuda_stem_wide_can(const stk_cuda_conv_args *args, const stk_cuda_stem_plan *plan,
                                   bool by_weight);
cudaError_t stk_cuda_stem_wide_launch(const stk_cuda_conv_args *args,
                                      const stk_cuda_stem_plan *plan, cudaStream_t stream);
cudaError_t stk_cuda_stem_wide_weight_launch(const stk_cuda_conv_args *args,
                                             const stk_cuda_stem_plan *plan, cudaStream_t stream);

STK_CUDA_END
#endif
