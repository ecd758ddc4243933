/* Mean and biased variance per channel, and batch norm's vectors derived from them. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_STATS_H
#define STK_COMPUTE_CUDA_KERNELS_BN_STATS_H

#include "compute/cuda_kernels/bn_vectors.h"
#include "compute/cuda_kernels/channel_rows.h"

STK_CUDA_BEGIN

enum { STK_CUDA_BN_STATS_VALUES = 3 }; /* partials per block and channel */

typedef struct stk_cuda_bn_stats_args {
    stk_cuda_rows rows;
    int           dtype; /* an stk_dtype, of x */
    const void   *x;
    float        *partials;
    unsigned     *counters;
    float        *mean, *var; /* may be NULL */
    /* mean and var are the computed ones and are not set; gamma NULL: not computed. */
    stk_cuda_bn_vectors_args vectors;
} stk_cuda_bn_stats_args;

cudaError_t stk_cuda_bn_stats_launch(const stk_cuda_bn_stats_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
