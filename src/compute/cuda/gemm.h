/* Convolutions that are products of matrices, on GPUs of compute capability 9.0. */
#ifndef STK_COMPUTE_CUDA_GEMM_H
#define STK_COMPUTE_CUDA_GEMM_H

#include "compute/runtime/backend.h"

/* Whether products in precision have kernels of their own here. */
bool stk_cuda_gemm_in(const stk_device *device, stk_dtype precision);

/* conv2d with statistics: whether it is such a product that pays; then the scratch that run wants.
 */
bool       stk_cuda_gemm_stats_can(const stk_kernel_call *call, size_t *scratch);
stk_status stk_cuda_gemm_stats_run(const stk_kernel_call *call, stk_error *err);

#endif
