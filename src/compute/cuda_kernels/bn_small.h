/* Batch norm of few rows: a cluster of blocks owns all rows of some channels, so statistics and
 * their use are one launch. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_SMALL_H
#define STK_COMPUTE_CUDA_KERNELS_BN_SMALL_H

#include "compute/cuda_kernels/bn_apply.h"
#include "compute/cuda_kernels/bn_grad.h"
#include "compute/cuda_kernels/bn_stats.h"

STK_CUDA_BEGIN

/* Types are 16-bit, rows those of stk_cuda_rows_per_block, activations none, relu, clip or
 * leaky_relu. */
typedef struct stk_cuda_bn_small_args {
    stk_cuda_bn_stats_args stats; /* partials and counters are unused */
    stk_cuda_bn_apply_args
           apply; /* of the same x, with the computed scale and shift; y NULL: statistics only */
    double each;  /* 1 / rows */
} stk_cuda_bn_small_args;

/* Largest cluster; 1 on GPUs without clusters. */
int stk_cuda_bn_small_blocks(void);

cudaError_t stk_cuda_bn_small_launch(const stk_cuda_bn_small_args *args, cudaStream_t stream);
/* Computes the sums, and dx unless it is NULL. */
cudaError_t stk_cuda_bn_grad_small_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
