/* 16-bit GEMMs on tensor cores of compute capability 9.0, for many rows: y[rows,columns] =
 * x[rows,depth] * w, with epilogues that save a pass over y. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_GEMM_H
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_GEMM_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

enum { STK_CUDA_GEMM_ROWS = 256, STK_CUDA_GEMM_WIDE = 128, STK_CUDA_GEMM_NARROW = 64 };

typedef struct stk_cuda_gemm_args {
    int         dtype;                /* an stk_dtype of 16 bits */
    int64_t     rows, columns, depth; /* rows: at least 1, below 2^31 */
    int         tile;                 /* columns per block, WIDE or NARROW, that fit */
    int         processors;
    const void *x, *w;
    void       *y;
    const void *addend;     /* sum, norm: may alias y */
    float      *partials;   /* statistics, norm: partials of stk_cuda_gemm_bytes */
    unsigned   *counters;   /* statistics, norm: zeros, one per column tile */
    float      *mean, *var; /* outputs of statistics; mean is an input of norm */
    /* norm only */
    const uint8_t *bits;   /* mask of y: element i is bit i % 8 of byte i / 8 */
    const void    *norm_x; /* in the layout of y */
    const float   *invstd;
    float         *dgamma, *dbeta;
} stk_cuda_gemm_args;

/* Whether a block's shared memory holds a tile of w of this depth and `results` matrices of the
 * result's size (norm: 2, else 1). columns and depth must be multiples of 64. */
bool   stk_cuda_gemm_fits(int64_t columns, int64_t depth, int tile, int results);
size_t stk_cuda_gemm_bytes(const stk_cuda_gemm_args *args);

/* w[columns,depth]; also mean and biased variance of each column of y. */
cudaError_t stk_cuda_gemm_stats_launch(const stk_cuda_gemm_args *args, cudaStream_t stream);
/* w[depth,columns]; adds addend to y. */
cudaError_t stk_cuda_gemm_sum_launch(const stk_cuda_gemm_args *args, cudaStream_t stream);
/* The same, masked by bits. dbeta is the sum of each column of y, dgamma that of y * (norm_x -
 * mean) * invstd. */
cudaError_t stk_cuda_gemm_norm_launch(const stk_cuda_gemm_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
