/* GEMMs by cuBLAS: a device's handle and its measured choices. */
#ifndef STK_COMPUTE_CUDA_CUBLAS_H
#define STK_COMPUTE_CUDA_CUBLAS_H

#include "compute/cuda/matmul.h"
#include <cublasLt.h>

enum { STK_CUBLAS_WORKSPACE = 32 << 20 }; /* bytes */

/* A GEMM in cuBLAS terms. cuBLAS is column-major, so it computes the transposed result, b^T a^T. */
typedef struct stk_cublas_gemm {
    cublasLtMatmulDesc_t   desc;
    cublasLtMatrixLayout_t b, a, out;
    bool                   bias, relu; /* fused into cuBLAS' epilogue */
} stk_cublas_gemm;

stk_status stk_cublas_fail(stk_error *err, cublasStatus_t code, const char *tried,
                           const char *where);
#define STK_CUBLAS_TRY(call_, where_, err_)                                                        \
    do {                                                                                           \
        cublasStatus_t stk_cublas_code_ = (call_);                                                 \
        if (stk_cublas_code_ != CUBLAS_STATUS_SUCCESS)                                             \
            return stk_cublas_fail(err_, stk_cublas_code_, #call_, where_);                        \
    } while (0)

stk_status stk_cublas_handle(stk_cuda *cuda, cublasLtHandle_t *out, stk_error *err);

/* cuBLAS adds a bias only in the result's type. Of activations only relu matches; its gelu is an
 * approximation. */
stk_status stk_cublas_gemm_init(stk_cublas_gemm *p, const stk_cuda_matmul_args *args, bool tf32,
                                const char *where, stk_error *err);
void       stk_cublas_gemm_release(stk_cublas_gemm *p);

typedef struct stk_cublas_choice {
    cublasLtMatmulAlgo_t algo;
    size_t               workspace;
    int                  proposed; /* 0: cuBLAS does not support this GEMM */
    float                us;       /* 0: not measured */
} stk_cublas_choice;

/* The fastest of cuBLAS' proposals, measured once per GEMM and device. A deterministic device takes
 * the first proposal, which does not depend on timing. */
stk_status stk_cublas_choose(stk_device *device, const stk_cublas_gemm *p,
                             const stk_cuda_matmul_args *args, stk_cublas_choice *out,
                             stk_error *err);

#endif
