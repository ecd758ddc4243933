/* Gradient of batch norm: dz = dy * slope of the activation, its sums over rows, and dx. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_GRAD_H
#define STK_COMPUTE_CUDA_KERNELS_BN_GRAD_H

#include "compute/cuda_kernels/channel_rows.h"

STK_CUDA_BEGIN

enum { STK_CUDA_BN_GRAD_VALUES = 2 }; /* partials per block and channel */

/* Argument of the slope. */
typedef enum stk_cuda_bn_mask {
    STK_CUDA_BN_MASK_NONE,
    STK_CUDA_BN_MASK_OUTPUT, /* y */
    STK_CUDA_BN_MASK_INPUT,  /* x * scale + shift */
    STK_CUDA_BN_MASK_BITS,   /* the slope itself */
    STK_CUDA_BN_MASKS
} stk_cuda_bn_mask;

typedef struct stk_cuda_bn_grad_args {
    stk_cuda_rows       rows;
    stk_cuda_activation act;
    stk_cuda_bn_mask    mask;
    int                 dtype; /* an stk_dtype, of dy, x, y, dx and dz */
    const void         *dy, *x, *y;
    const uint8_t      *bits; /* element i is bit i % 8 of byte i / 8 */
    const float        *mean, *invstd, *scale, *shift;
    /* Outputs of the sums; inputs of dx. */
    float    *dgamma, *dbeta; /* may be NULL */
    float    *partials;
    unsigned *counters;
    /* For dx only. */
    const float *gamma;
    void        *dx; /* may alias dy */
    void        *dz; /* may be NULL */
} stk_cuda_bn_grad_args;

cudaError_t stk_cuda_bn_grad_sums_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream);
cudaError_t stk_cuda_bn_grad_apply_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
