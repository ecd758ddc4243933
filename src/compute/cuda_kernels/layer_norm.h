/* Layer norm over rows, and its gradient. */
#ifndef STK_COMPUTE_CUDA_KERNELS_LAYER_NORM_H
#define STK_COMPUTE_CUDA_KERNELS_LAYER_NORM_H

#include "compute/cuda_kernels/channel_rows.h"

STK_CUDA_BEGIN

enum { STK_CUDA_LAYER_NORM_VALUES = 2 }; /* partials per block and channel */

typedef struct stk_cuda_layer_norm_args {
    int          dtype; /* an stk_dtype, of x and y */
    int64_t      rows, width;
    float        epsilon;
    const void  *x; /* may alias y */
    const float *gamma, *beta;
    void        *y;
    float       *mean, *invstd; /* may be NULL */
} stk_cuda_layer_norm_args;

typedef struct stk_cuda_layer_norm_grad_args {
    int           dtype; /* an stk_dtype, of dy, x and dx */
    int64_t       rows, width;
    stk_cuda_rows sum; /* rows for dgamma and dbeta */
    const void   *dy, *x;
    const float  *gamma, *mean, *invstd;
    float        *partials;
    unsigned     *counters;
    void         *dx; /* may alias dy; NULL, here and below: not computed */
    float        *dgamma, *dbeta;
} stk_cuda_layer_norm_grad_args;

cudaError_t stk_cuda_layer_norm_launch(const stk_cuda_layer_norm_args *args, cudaStream_t stream);
cudaError_t stk_cuda_layer_norm_grad_launch(const stk_cuda_layer_norm_grad_args *args,
                                            cudaStream_t                         stream);

STK_CUDA_END
#endif
