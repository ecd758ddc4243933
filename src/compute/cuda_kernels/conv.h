/* A convolution for native kernels: forward, dgrad and wgrad. */
#ifndef STK_COMPUTE_CUDA_KERNELS_CONV_H
#define STK_COMPUTE_CUDA_KERNELS_CONV_H

#include "compute/cuda_kernels/window.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_conv_args {
    int             dtype; /* an stk_dtype, of images and weights */
    int64_t         batch;
    stk_cuda_window down, across;
    int             in_c, out_c, group_in, group_out; /* channels: total, per group */
    int             x_pixel;                          /* elements, with padding */
    int64_t         w_strides[4]; /* strides in elements: out, in, row, column */
    float           low, high;    /* clip of y */
    const void     *x, *w, *dy;
    const float    *bias;     /* may be NULL */
    const void     *addend;   /* dgrad: added to the result; may be NULL, or alias out */
    void           *out;      /* y, dx or dw */
    void           *dbias;    /* may be NULL */
    float          *partials; /* wgrad partials: [partial_count][weights and channels of dbias] */
    int             partial_count;
} stk_cuda_conv_args;

/* Any convolution; one result per thread and sum. */
cudaError_t stk_cuda_direct_launch(const stk_cuda_conv_args *args, cudaStream_t stream);
cudaError_t stk_cuda_direct_input_launch(const stk_cuda_conv_args *args, cudaStream_t stream);
cudaError_t stk_cuda_direct_weight_launch(const stk_cuda_conv_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
