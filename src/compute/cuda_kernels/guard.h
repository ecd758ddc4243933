/* grad_guard and loss_scale: a few scalars that stay in device memory. */
#ifndef STK_COMPUTE_CUDA_KERNELS_GUARD_H
#define STK_COMPUTE_CUDA_KERNELS_GUARD_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

/* Indices of the hyper, guard and state vectors, equal to those of compute/ops/update_ops.h. */
enum {
    STK_CUDA_HYPER_RATE,
    STK_CUDA_HYPER_MOMENTUM,
    STK_CUDA_HYPER_PROGRESS,
    STK_CUDA_HYPER_LOOKAHEAD
};
enum { STK_CUDA_GUARD_MULTIPLY, STK_CUDA_GUARD_SKIP, STK_CUDA_GUARD_STEPS, STK_CUDA_GUARD_NORM };
enum { STK_CUDA_STATE_SCALE, STK_CUDA_STATE_CLEAN, STK_CUDA_STATE_STEPS, STK_CUDA_STATE_SKIPPED };

typedef struct stk_cuda_guard_args {
    double       multiply, max_norm, growth, backoff, interval; /* the op's attributes */
    const float *state, *norm;                                  /* norm may be NULL */
    float       *guard, *next; /* next may be NULL or alias state */
} stk_cuda_guard_args;

cudaError_t stk_cuda_guard_launch(const stk_cuda_guard_args *args, cudaStream_t stream);
cudaError_t stk_cuda_loss_scale_launch(const float *state, float *scale, cudaStream_t stream);

STK_CUDA_END
#endif
