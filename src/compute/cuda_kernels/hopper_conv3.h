/* 3x3 convolutions from 64 to 64 channels, stride 1, same size, 16-bit, on tensor cores of compute
 * capability 9.0. */
#ifndef STK_COMPUTE_CUDA_KERNELS_HOPPER_CONV3_H
#define STK_COMPUTE_CUDA_KERNELS_HOPPER_CONV3_H

#include "compute/cuda_kernels/abi.h"
#include <stdbool.h>

STK_CUDA_BEGIN

enum { STK_CUDA_CONV3_CHANNELS = 64, STK_CUDA_CONV3_ROWS = 4 };

typedef struct stk_cuda_conv3_args {
    int         dtype; /* an stk_dtype of 16 bits */
    int         batch, height, width;
    int         processors;
    const void *x;        /* forward: x; dgrad: dy; wgrad: x */
    const void *w;        /* [64][3][3][64]: out, row, column, in */
    const void *dy;       /* wgrad */
    void       *y;        /* forward: y; dgrad: dx */
    float      *partials; /* forward: statistics as in depthwise.h, or NULL; wgrad: of dw */
} stk_cuda_conv3_args;

/* Whether images of this size are supported. */
bool stk_cuda_conv3_can(int64_t batch, int64_t height, int64_t width);
/* Number of partials: of statistics, of dw. */
int stk_cuda_conv3_stats_partials(const stk_cuda_conv3_args *args);
int stk_cuda_conv3_weight_partials(const stk_cuda_conv3_args *args);

cudaError_t stk_cuda_conv3_launch(const stk_cuda_conv3_args *args, cudaStream_t stream);
cudaError_t stk_cuda_conv3_input_launch(const stk_cuda_conv3_args *args, cudaStream_t stream);
cudaError_t stk_cuda_conv3_weight_launch(const stk_cuda_conv3_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
