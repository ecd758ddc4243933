/* Applies edits to images: crops, flips, changes, mixes. */
#ifndef STK_COMPUTE_CUDA_KERNELS_EDIT_IMAGES_H
#define STK_COMPUTE_CUDA_KERNELS_EDIT_IMAGES_H

#include "compute/cuda_kernels/abi.h"
#include "edit/edit.h"
#include <stddef.h>

STK_CUDA_BEGIN

typedef struct stk_cuda_edit_args {
    int64_t         rows; /* of images */
    int32_t         source_height, source_width;
    int64_t         batch;
    int32_t         height, width, channels; /* channels: 1 or 3 */
    const uint8_t  *images;
    const stk_edit *edits;
    uint8_t        *out;
    void           *scratch; /* stk_cuda_edit_scratch bytes */
} stk_cuda_edit_args;

size_t      stk_cuda_edit_scratch(const stk_cuda_edit_args *args);
cudaError_t stk_cuda_edit_launch(const stk_cuda_edit_args *args, cudaStream_t stream);

typedef struct stk_cuda_mix_args {
    int64_t         batch;
    int32_t         height, width, channels;
    const uint8_t  *images;
    const stk_edit *edits;
    uint8_t        *out; /* must not alias images */
} stk_cuda_mix_args;

cudaError_t stk_cuda_mix_launch(const stk_cuda_mix_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
