/* A 1x1 convolution of stride 1 as a product, by cuBLASLt. */
#ifndef STK_BENCH_COMPUTE_CUDA_GEMM_LT_H
#define STK_BENCH_COMPUTE_CUDA_GEMM_LT_H

#include "conv_patterns.h"
#include <cublasLt.h>

typedef struct gemm_stage {
    cublasLtHandle_t handle;
    cudaStream_t     stream;
    void *const     *data; /* sets times three: as in the plain patterns' tensors */
    int              sets;
    void            *workspace;
    size_t           workspace_bytes;
} gemm_stage;

/* pass: 0 forward, 1 dgrad, 2 wgrad. The median of the best algorithm in *us, its number in *algo.
 */
STK_NODISCARD stk_status gemm_time(const gemm_stage *stage, const conv_shape *conv, int64_t batch,
                                   cudnnDataType_t type, int pass, double *us, int *algo,
                                   stk_error *err);

#endif
