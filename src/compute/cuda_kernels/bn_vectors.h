/* Scale and shift of batch norm, channel by channel. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_VECTORS_H
#define STK_COMPUTE_CUDA_KERNELS_BN_VECTORS_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_bn_vectors_args {
    int64_t      channels;
    float        epsilon, momentum;
    double       unbias; /* times the variance: the running one */
    const float *mean, *var, *gamma, *beta;
    const float *running_mean, *running_var; /* may be where the next ones go; fold: NULL */
    float       *scale, *shift;              /* NULL, here and below: not wanted */
    float       *invstd, *next_mean, *next_var;
} stk_cuda_bn_vectors_args;

cudaError_t stk_cuda_bn_vectors_launch(const stk_cuda_bn_vectors_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
