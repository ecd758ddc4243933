/* x * scale + shift */
#ifndef STK_COMPUTE_CUDA_KERNELS_SCALE_H
#define STK_COMPUTE_CUDA_KERNELS_SCALE_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

/* dtype: an stk_dtype, of both tensors. */
cudaError_t stk_cuda_scale_launch(int dtype, const void *x, void *out, int64_t count, float scale,
                                  float shift, cudaStream_t stream);

STK_CUDA_END
#endif
