/* The gradient of batch norm: dz = dy * slope of what came after it, its sums over rows, and dx. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_GRAD_H
#define STK_COMPUTE_CUDA_KERNELS_BN_GRAD_H

#include "compute/cuda_kernels/channel_rows.h"

STK_CUDA_BEGIN

enum { STK_CUDA_BN_GRAD_VALUES = 2 }; /* that a block leaves of a channel */

/* Where the slope is seen. */
typedef enum stk_cuda_bn_mask {
    STK_CUDA_BN_MASK_NONE,
    STK_CUDA_BN_MASK_OUTPUT, /* y */
    STK_CUDA_BN_MASK_INPUT,  /* x * scale + shift */
    STK_CUDA_BN_MASK_BITS,   /* 1 where it is set, else 0 */
    STK_CUDA_BN_MASKS
} stk_cuda_bn_mask;

typedef struct stk_cuda_bn_grad_args {
    stk_cuda_rows       rows;
    stk_cuda_activation act;
    stk_cuda_bn_mask    mask;
    int                 dtype; /* an stk_dtype, of dy, x, y, dx and dz */
    const void         *dy, *x, *y;
    const uint8_t      *bits; /* element i in bit i % 8 of byte i / 8 */
    const float        *mean, *invstd, *scale, *shift;
    /* Sums; for dx they are read. */
    float    *dgamma, *dbeta; /* NULL: not wanted */
    float    *parts;
    unsigned *counters;
    /* For dx. */
    const float *gamma;
    void        *dx; /* may be dy */
    void        *dz; /* NULL: not wanted */
} stk_cuda_bn_grad_args;

cudaError_t stk_cuda_bn_grad_sums_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream);
cudaError_t stk_cuda_bn_grad_apply_launch(const stk_cuda_bn_grad_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
