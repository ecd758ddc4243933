/* Convolutions that are GEMMs, for compute capability 9.0. */
#ifndef STK_COMPUTE_CUDA_GEMM_H
#define STK_COMPUTE_CUDA_GEMM_H

#include "compute/runtime/backend.h"

/* Whether there are native GEMM kernels for precision. */
bool stk_cuda_gemm_in(const stk_device *device, stk_dtype precision);

/* conv2d with statistics: whether it is a profitable GEMM; then *scratch is set. */
bool       stk_cuda_gemm_stats_can(const stk_kernel_call *call, size_t *scratch);
stk_status stk_cuda_gemm_stats_run(const stk_kernel_call *call, stk_error *err);

#endif
