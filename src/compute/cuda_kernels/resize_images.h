/* Many images made smaller or larger at once, each by its own weights. */
#ifndef STK_COMPUTE_CUDA_KERNELS_RESIZE_IMAGES_H
#define STK_COMPUTE_CUDA_KERNELS_RESIZE_IMAGES_H

#include "compute/cuda_kernels/abi.h"
#include <stoker/decode_device.h>

STK_CUDA_BEGIN

typedef union stk_cuda_sum {
    int32_t whole;
    float   real;
} stk_cuda_sum;

/* One of them. All addresses are the GPU's, those of the axes too. */
typedef struct stk_cuda_image {
    const uint8_t    *src;
    int64_t           pitch;     /* bytes from row to row of src */
    int32_t           channels;  /* 1 or 3 */
    int32_t           row, rows; /* of src that the result needs: the first, how many */
    stk_resample_axis across, down;
    int32_t           kind; /* stk_resample_rounding */
    stk_cuda_sum *sums; /* rows * across.count * channels, for the way from one pass to the other */
    uint8_t      *out;
} stk_cuda_image;

/* most_sums, most_bytes: the largest image's rows * across.count and bytes of out. */
cudaError_t stk_cuda_resize_images_launch(const stk_cuda_image *images, int count,
                                          int64_t most_sums, int64_t most_bytes,
                                          cudaStream_t stream);

STK_CUDA_END
#endif
