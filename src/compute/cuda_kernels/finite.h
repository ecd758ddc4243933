/* Search for non-finite elements. */
#ifndef STK_COMPUTE_CUDA_KERNELS_FINITE_H
#define STK_COMPUTE_CUDA_KERNELS_FINITE_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

/* Sets *flag in device memory if an element is not finite. dtype: an stk_dtype. */
cudaError_t stk_cuda_finite_launch(int dtype, const void *data, size_t count, int *flag,
                                   cudaStream_t stream);

STK_CUDA_END
#endif
