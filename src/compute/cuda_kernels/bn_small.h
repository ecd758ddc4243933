/* Batch norm of few rows: the blocks of a cluster have all of some channels, so that statistics and
 * what needs them are one launch. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_SMALL_H
#define STK_COMPUTE_CUDA_KERNELS_BN_SMALL_H

#include "compute/cuda_kernels/bn_apply.h"
#include "compute/cuda_kernels/bn_grad.h"
#include "compute/cuda_kernels/bn_stats.h"

STK_CUDA_BEGIN

/* Types are of 16 bits, rows as stk_cuda_rows_to_own gives them, activations none, relu, clip or
 * leaky_relu. */
typedef struct stk_cuda_bn_small_args {
    stk_cuda_bn_stats_args stats; /* parts and counters are not used */
    stk_cuda_bn_apply_args apply; /* of the same x, with scale and shift as found; y NULL: no */
    double                 each;  /* 1 / rows */
} stk_cuda_bn_small_args;

/* How many blocks a cluster may have: 1 on GPUs without clusters. */
int stk_cuda_bn_small_blocks(void);

cudaError_t stk_cuda_bn_small_launch(const stk_cuda_bn_small_args *args, cudaStream_t stream);
/* Sums, which are written; and dx, unless it is NULL. */
cudaError_t stk_cuda_bn_grad_small_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
