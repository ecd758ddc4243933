/* Bytes times a scale plus a shift per channel. */
#ifndef STK_COMPUTE_CUDA_KERNELS_NORMALIZE_IMAGE_H
#define STK_COMPUTE_CUDA_KERNELS_NORMALIZE_IMAGE_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

enum { STK_CUDA_IMAGE_CHANNELS = 4 };

typedef struct stk_cuda_normalize_image_args {
    int            dtype;            /* of y */
    int            channels, padded; /* of x; of y, with zeros after channels */
    int64_t        pixels;
    float          scale[STK_CUDA_IMAGE_CHANNELS], shift[STK_CUDA_IMAGE_CHANNELS];
    const uint8_t *x;
    void          *y;
} stk_cuda_normalize_image_args;

cudaError_t stk_cuda_normalize_image_launch(const stk_cuda_normalize_image_args *args,
                                            cudaStream_t                         stream);

STK_CUDA_END
#endif
