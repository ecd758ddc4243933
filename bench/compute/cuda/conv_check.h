/* Random data on the device, and what a graph should give: computed plainly, in fp32. */
#ifndef STK_BENCH_COMPUTE_CUDA_CONV_CHECK_H
#define STK_BENCH_COMPUTE_CUDA_CONV_CHECK_H

#include "compute/cuda/cudnn_graph.h"
#include <cuda_runtime_api.h>

STK_BEGIN_DECLS

/* Numbers between -scale and scale. */
cudaError_t conv_fill(void *dst, cudnnDataType_t type, size_t count, unsigned seed, float scale,
                      cudaStream_t stream);
cudaError_t conv_widen(float *dst, const void *src, cudnnDataType_t type, size_t count,
                       cudaStream_t stream);
/* Runs the ops one after the other on packed fp32 tensors; value[i] belongs to tensor i + 1. */
cudaError_t conv_reference(const stk_cudnn_spec *spec, float *const *value, cudaStream_t stream);
/* |got - want| / |want|, both fp32. sums: space for two doubles on the device. */
cudaError_t conv_difference(const float *got, const float *want, size_t count, double *sums,
                            double *out, cudaStream_t stream);

STK_END_DECLS
#endif
