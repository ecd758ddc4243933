/* Products of 16-bit matrices on the tensor cores of compute capability 9.0, for many rows:
 * y[rows,columns] = x[rows,depth] * w, with something more that costs no pass over y. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_GEMM_H
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_GEMM_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

enum { STK_CUDA_GEMM_ROWS = 256, STK_CUDA_GEMM_WIDE = 128, STK_CUDA_GEMM_NARROW = 64 };

typedef struct stk_cuda_gemm_args {
    int         dtype;                /* an stk_dtype of 16 bits */
    int64_t     rows, columns, depth; /* rows: at least 1, and below 2^31 */
    int         tile;                 /* columns of a block, WIDE or NARROW, that fits */
    int         processors;
    const void *x, *w;
    void       *y;
    const void *addend;     /* sum, norm: may be y */
    float      *parts;      /* statistics, norm: stk_cuda_gemm_bytes of it */
    unsigned   *counters;   /* statistics, norm: zeros, one for each tile of columns */
    float      *mean, *var; /* statistics; norm: mean is read */
    /* norm */
    const uint8_t *bits;   /* of y: element i in bit i % 8 of byte i / 8 */
    const void    *norm_x; /* as y lies */
    const float   *invstd;
    float         *dgamma, *dbeta;
} stk_cuda_gemm_args;

/* Whether a block can keep so many columns of w beside as many matrices of the size of its results
 * (norm: 2; else 1): columns and depth are multiples of 64, and depth is small. */
bool   stk_cuda_gemm_fits(int64_t columns, int64_t depth, int tile, int results);
size_t stk_cuda_gemm_bytes(const stk_cuda_gemm_args *args);

/* w[columns,depth]; mean and biased variance of each column of y, too. */
cudaError_t stk_cuda_gemm_stats_launch(const stk_cuda_gemm_args *args, cudaStream_t stream);
/* w[depth,columns]; y has plus added to it. */
cudaError_t stk_cuda_gemm_sum_launch(const stk_cuda_gemm_args *args, cudaStream_t stream);
/* That, zero where bits are; dbeta is the sum of each column of y, dgamma that of y times
 * (beside - mean) * invstd. */
cudaError_t stk_cuda_gemm_norm_launch(const stk_cuda_gemm_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
