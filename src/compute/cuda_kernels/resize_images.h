/* Resizes many images in one launch, each with its own weights. */
#ifndef STK_COMPUTE_CUDA_KERNELS_RESIZE_IMAGES_H
#define STK_COMPUTE_CUDA_KERNELS_RESIZE_IMAGES_H

#include "compute/cuda_kernels/abi.h"
#include <stoker/decode_device.h>

STK_CUDA_BEGIN

typedef union stk_cuda_sum {
    int32_t whole;
    float   real;
} stk_cuda_sum;

/* One image. All addresses are device memory, also those of the axes. */
typedef struct stk_cuda_image {
    const uint8_t    *src;
    int64_t           pitch;     /* bytes between rows of src */
    int32_t           channels;  /* 1 or 3 */
    int32_t           row, rows; /* rows of src that the result needs: first, count */
    stk_resample_axis across, down;
    int32_t           kind; /* stk_resample_rounding */
    stk_cuda_sum     *sums; /* rows * across.count * channels intermediate sums */
    uint8_t          *out;
} stk_cuda_image;

/* most_sums, most_bytes: maxima over all images of rows * across.count and of bytes of out. */
cudaError_t stk_cuda_resize_images_launch(const stk_cuda_image *images, int count,
                                          int64_t most_sums, int64_t most_bytes,
                                          cudaStream_t stream);

STK_CUDA_END
#endif
