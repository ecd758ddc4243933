/* Scale and shift of batch norm per channel. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_VECTORS_H
#define STK_COMPUTE_CUDA_KERNELS_BN_VECTORS_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_bn_vectors_args {
    int64_t      channels;
    float        epsilon, momentum;
    double       unbias; /* factor of the variance for the running one */
    const float *mean, *var, *gamma, *beta;
    const float *running_mean, *running_var; /* may alias the next ones; fold: NULL */
    float       *scale, *shift;              /* may be NULL, here and below */
    float       *invstd, *next_mean, *next_var;
} stk_cuda_bn_vectors_args;

cudaError_t stk_cuda_bn_vectors_launch(const stk_cuda_bn_vectors_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
