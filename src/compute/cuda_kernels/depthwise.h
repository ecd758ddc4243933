/* Depthwise convolutions: a channel has a kernel of its own, 3x3 or 5x5, of stride 1 or 2, dilation
 * 1. Channels are taken in words of 4 bytes: of 16 bits they are even.
 *
 * A block takes some words of all pixels and goes down strips of images; rows come through shared
 * memory, some steps before they are used. A thread has one word of some neighbouring columns. */
#ifndef STK_COMPUTE_CUDA_KERNELS_DEPTHWISE_H
#define STK_COMPUTE_CUDA_KERNELS_DEPTHWISE_H

#include "compute/cuda_kernels/conv.h"
#include <stdbool.h>

STK_CUDA_BEGIN

enum {
    STK_CUDA_DW_THREADS = 256,      /* of a block, the most */
    STK_CUDA_DW_SHARED = 46 * 1024, /* bytes of a block, the most: 48 KB less what sums take */
};

/* Columns of results that a thread has: as many as its registers allow, since all else that it does
 * is for a row of them. Images of 224 are 7 times a power of two on all their ways. */
#define STK_CUDA_DW_COLUMNS(kernel, stride) ((kernel) != 3 ? 2 : (stride) == 1 ? 7 : 4)
/* Blocks of so many threads that a multiprocessor has at a time. */
#define STK_CUDA_DW_RESIDENT(kernel, stride) ((kernel) == 3 && (stride) == 2 ? 3 : 2)
/* Turns that a step is made of, each giving a row of results: where several are under way at once,
 * as many, so that each keeps its registers. */
#define STK_CUDA_DW_TURNS(kernel, stride) ((kernel) == 3 && (stride) == 1 ? 3 : 1)
/* Steps that are on their way, given the words that a thread uses up in each: 32 KB and more of a
 * multiprocessor. */
#define STK_CUDA_DW_AHEAD(words)                                                                   \
    ((words) > 16 ? 1 : (words) >= 10 ? 2 : (words) >= 8 ? 3 : (words) >= 4 ? 4 : 6)

/* Of a part, for each channel: sums of differences from a value. */
enum {
    STK_CUDA_DW_FROM,
    STK_CUDA_DW_SUM,
    STK_CUDA_DW_SQUARES,
    STK_CUDA_DW_COUNT,
    STK_CUDA_DW_VALUES
};

typedef enum stk_cuda_depthwise_kind {
    STK_CUDA_DW_FORWARD, /* x to y; and dy to dx of stride 1, with the kernel turned */
    STK_CUDA_DW_SPREAD,  /* dy to dx of stride 2 */
    STK_CUDA_DW_WEIGHT
} stk_cuda_depthwise_kind;

typedef struct stk_cuda_depthwise_plan {
    int words, unit;           /* of a pixel; that are copied at a time */
    int wide, chunks;          /* words of a block; blocks for all of them */
    int groups, strips;        /* groups of columns of a block; blocks for a row */
    int rows, segments, steps; /* rows of results of an item; items for a column; steps of one */
    int items;                 /* of a chunk */
    int blocks;                /* of a chunk, each of which has some that follow each other */
    int shared;                /* bytes */
    int statistics;            /* forward, of 3x3: mean and variance of what is written, in parts */
    int plain;                 /* results have no bounds, and nothing is added to them */
} stk_cuda_depthwise_plan;

stk_cuda_depthwise_plan stk_cuda_depthwise_plan_of(const stk_cuda_conv_args *args,
                                                   stk_cuda_depthwise_kind kind, int processors);

/* turned: w is turned by half a circle. */
cudaError_t stk_cuda_depthwise_launch(const stk_cuda_conv_args      *args,
                                      const stk_cuda_depthwise_plan *plan, bool turned,
                                      cudaStream_t stream);
/* After it, with statistics: puts plan->blocks parts together. */
cudaError_t stk_cuda_depthwise_stats_launch(const stk_cuda_conv_args      *args,
                                            const stk_cuda_depthwise_plan *plan, float *mean,
                                            float *var, cudaStream_t stream);
cudaError_t stk_cuda_depthwise_spread_launch(const stk_cuda_conv_args      *args,
                                             const stk_cuda_depthwise_plan *plan,
                                             cudaStream_t                   stream);
/* Gives plan->blocks parts. */
cudaError_t stk_cuda_depthwise_weight_launch(const stk_cuda_conv_args      *args,
                                             const stk_cuda_depthwise_plan *plan,
                                             cudaStream_t                   stream);

STK_CUDA_END
#endif
