/* Depthwise convolutions: one filter per channel, 3x3 or 5x5, stride 1 or 2, dilation 1. Channels
 * are processed in words of 4 bytes: 16-bit channel counts are even.
 *
 * A block owns some words of all pixels and goes down image strips. Rows stream through shared
 * memory some steps ahead. A thread has one word of several neighbouring columns. */
#ifndef STK_COMPUTE_CUDA_KERNELS_DEPTHWISE_H
#define STK_COMPUTE_CUDA_KERNELS_DEPTHWISE_H

#include "compute/cuda_kernels/conv.h"
#include <stdbool.h>

STK_CUDA_BEGIN

enum {
    STK_CUDA_DW_THREADS = 256,      /* most per block */
    STK_CUDA_DW_SHARED = 46 * 1024, /* most bytes per block: 48 KB minus the sums */
};

/* Result columns per thread: as many as registers allow, since all other work is per row. Images of
 * 224 have widths of 7 times a power of two throughout. */
#define STK_CUDA_DW_COLUMNS(kernel, stride) ((kernel) != 3 ? 2 : (stride) == 1 ? 7 : 4)
/* Resident blocks of that size per multiprocessor. */
#define STK_CUDA_DW_RESIDENT(kernel, stride) ((kernel) == 3 && (stride) == 2 ? 3 : 2)
/* Turns per step, each yielding a result row: as many as rows in flight, so that each keeps its
 * registers. */
#define STK_CUDA_DW_TURNS(kernel, stride) ((kernel) == 3 && (stride) == 1 ? 3 : 1)
/* Steps in flight, given the words a thread consumes per step: at least 32 KB per
 * multiprocessor. */
#define STK_CUDA_DW_AHEAD(words)                                                                   \
    ((words) > 16 ? 1 : (words) >= 10 ? 2 : (words) >= 8 ? 3 : (words) >= 4 ? 4 : 6)

/* Partials per channel: sums of differences from a value. */
enum {
    STK_CUDA_DW_FROM,
    STK_CUDA_DW_SUM,
    STK_CUDA_DW_SQUARES,
    STK_CUDA_DW_COUNT,
    STK_CUDA_DW_VALUES
};

typedef enum stk_cuda_depthwise_kind {
    STK_CUDA_DW_FORWARD, /* x to y; dy to dx of stride 1 with a rotated filter */
    STK_CUDA_DW_SPREAD,  /* dgrad of stride 2 */
    STK_CUDA_DW_WEIGHT
} stk_cuda_depthwise_kind;

typedef struct stk_cuda_depthwise_plan {
    int words, unit;           /* of a pixel; copied at a time */
    int wide, chunks;          /* words per block; blocks for all words */
    int groups, strips;        /* column groups per block; blocks per row */
    int rows, segments, steps; /* result rows per item; items per column; steps per item */
    int items;                 /* per chunk */
    int blocks;                /* per chunk; each has consecutive items */
    int shared;                /* bytes */
    int statistics;            /* forward 3x3: also mean and variance of the result, as partials */
    int plain;                 /* no clip and no addend */
} stk_cuda_depthwise_plan;

stk_cuda_depthwise_plan stk_cuda_depthwise_plan_of(const stk_cuda_conv_args *args,
                                                   stk_cuda_depthwise_kind kind, int processors);

/* turned: w is rotated by 180 degrees. */
cudaError_t stk_cuda_depthwise_launch(const stk_cuda_conv_args      *args,
                                      const stk_cuda_depthwise_plan *plan, bool turned,
                                      cudaStream_t stream);
/* Run after it for statistics: merges plan->blocks partials. */
cudaError_t stk_cuda_depthwise_stats_launch(const stk_cuda_conv_args      *args,
                                            const stk_cuda_depthwise_plan *plan, float *mean,
                                            float *var, cudaStream_t stream);
cudaError_t stk_cuda_depthwise_spread_launch(const stk_cuda_conv_args      *args,
                                             const stk_cuda_depthwise_plan *plan,
                                             cudaStream_t                   stream);
/* Writes plan->blocks partials. */
cudaError_t stk_cuda_depthwise_weight_launch(const stk_cuda_conv_args      *args,
                                             const stk_cuda_depthwise_plan *plan,
                                             cudaStream_t                   stream);

STK_CUDA_END
#endif
