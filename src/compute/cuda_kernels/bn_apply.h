/* act(x * scale + shift + residual), scale and shift per channel. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_APPLY_H
#define STK_COMPUTE_CUDA_KERNELS_BN_APPLY_H

#include "compute/cuda_kernels/channel_rows.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_bn_apply_args {
    stk_cuda_rows       rows;
    stk_cuda_activation act;
    int                 dtype; /* an stk_dtype, of x, residual and y */
    const void         *x;     /* may be y */
    const void         *residual;
    const float        *scale, *shift;                   /* NULL: ones, zeros */
    const float        *residual_scale, *residual_shift; /* NULL: the residual as it is */
    void               *y;
    /* Where the slope of relu or clip is 1, element i in bit i % 8 of byte i / 8; NULL: not wanted.
     * Threads then have 8 channels, or rows.wide is 1. */
    uint8_t *bits;
} stk_cuda_bn_apply_args;

cudaError_t stk_cuda_bn_apply_launch(const stk_cuda_bn_apply_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
