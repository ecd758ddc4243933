/* act(x * scale + shift + residual) with scale and shift per channel. */
#ifndef STK_COMPUTE_CUDA_KERNELS_BN_APPLY_H
#define STK_COMPUTE_CUDA_KERNELS_BN_APPLY_H

#include "compute/cuda_kernels/channel_rows.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_bn_apply_args {
    stk_cuda_rows       rows;
    stk_cuda_activation act;
    int                 dtype; /* an stk_dtype, of x, residual and y */
    const void         *x;     /* may alias y */
    const void         *residual;
    const float        *scale, *shift;                   /* NULL: 1 and 0 */
    const float        *residual_scale, *residual_shift; /* NULL: the residual is added as it is */
    void               *y;
    /* Bit i % 8 of byte i / 8 is 1 where the slope of relu or clip is 1; may be NULL. Requires 8
     * channels per thread, or rows.wide 1. */
    uint8_t *bits;
} stk_cuda_bn_apply_args;

cudaError_t stk_cuda_bn_apply_launch(const stk_cuda_bn_apply_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
