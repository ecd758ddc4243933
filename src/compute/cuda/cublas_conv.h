/* A 1x1 convolution of stride 1 as a GEMM, by cuBLASLt. */
#ifndef STK_COMPUTE_CUDA_CUBLAS_CONV_H
#define STK_COMPUTE_CUDA_CUBLAS_CONV_H

#include "compute/cuda/cudnn_conv_problem.h"
#include <cublasLt.h>

typedef struct stk_cublas_conv stk_cublas_conv;

enum { STK_CUBLAS_ALGORITHMS = 8, STK_CUBLAS_TEXT = 160 };

/* Queries at most STK_CUBLAS_ALGORITHMS proposals within the workspace limit and selects the first.
 * STK_E_UNSUPPORTED: there is none. */
STK_NODISCARD stk_status stk_cublas_conv_new(stk_cublas_conv **out, cublasLtHandle_t handle,
                                             const stk_conv_problem *c, size_t workspace,
                                             stk_error *err);
void                     stk_cublas_conv_free(stk_cublas_conv *gemm);

int  stk_cublas_conv_count(const stk_cublas_conv *gemm);
void stk_cublas_conv_choose(stk_cublas_conv *gemm, int index);
/* Workspace of the selected algorithm. */
size_t stk_cublas_conv_workspace(const stk_cublas_conv *gemm);
/* Writes the selected algorithm as hexadecimal digits, and selects it by them. STK_E_UNSUPPORTED:
 * it cannot compute this GEMM. */
char *stk_cublas_conv_text(const stk_cublas_conv *gemm, char *text, size_t capacity);
STK_NODISCARD stk_status stk_cublas_conv_parse(stk_cublas_conv *gemm, const char *text,
                                               stk_error *err);

/* Enqueues the GEMM. Operands are those of the convolution's graph (STK_CONV_FIRST, ...); third is
 * the addend of a gradient and may equal result. */
STK_NODISCARD stk_status stk_cublas_conv_run(const stk_cublas_conv *gemm, const void *first,
                                             const void *second, const void *third, void *result,
                                             void *workspace, cudaStream_t stream, stk_error *err);

#endif
