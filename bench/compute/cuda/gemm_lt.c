#include "gemm_lt.h"
#include <stdlib.h>

enum { ALGORITHMS = 12, SAMPLES = 7 };

typedef struct product {
    cublasLtMatmulDesc_t       desc;
    cublasLtMatrixLayout_t     a, b, d;
    cublasLtMatmulPreference_t preference;
    int                        first, second, third; /* which tensors are a, b, d */
} product;

static stk_status check(cublasStatus_t status, const char *tried, stk_error *err)
{
    if (status == CUBLAS_STATUS_SUCCESS) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "cublasLt", tried, "%s",
                    cublasLtGetStatusString(status));
}

static stk_status check_cuda(cudaError_t status, const char *tried, stk_error *err)
{
    if (status == cudaSuccess) return STK_OK;
    return stk_fail(err, STK_E_IO, "cuda", tried, "%s", cudaGetErrorString(status));
}

/* cuBLAS counts by columns: a row-major [m, c] is a column-major [c, m]. Forward: y = x w^T is
 * y' = w'^T x'; dgrad: dx' = w' dy'; wgrad: dw' = x' dy'^T. */
static stk_status describe(product *p, const gemm_stage *stage, const conv_shape *conv,
                           int64_t batch, cudaDataType_t type, int pass, stk_error *err)
{
    const uint64_t rows = (uint64_t)(batch * conv->size * conv->size), cin = (uint64_t)conv->cin,
                   cout = (uint64_t)conv->cout;
    const cublasOperation_t flip = CUBLAS_OP_T;
    *p = (product){0};
    STK_TRY(check(cublasLtMatmulDescCreate(&p->desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), "desc", err));
    cublasStatus_t st = CUBLAS_STATUS_SUCCESS;
    if (pass == 0)
        st = cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_TRANSA, &flip,
                                            sizeof flip);
    if (pass == 2)
        st = cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_TRANSB, &flip,
                                            sizeof flip);
    STK_TRY(check(st, "transposition", err));
    /* Tensors are x w y, dy w dx or x dy dw. */
    p->first = pass == 2 ? 0 : 1;
    p->second = pass == 2 ? 1 : 0;
    p->third = 2;
    const uint64_t a_columns = pass == 2 ? rows : cout, b_rows = pass == 0 ? cin : cout;
    const uint64_t d_rows = pass == 0 ? cout : cin, d_columns = pass == 2 ? cout : rows;
    STK_TRY(check(cublasLtMatrixLayoutCreate(&p->a, type, cin, a_columns, (int64_t)cin), "a", err));
    STK_TRY(
        check(cublasLtMatrixLayoutCreate(&p->b, type, b_rows, rows, (int64_t)b_rows), "b", err));
    STK_TRY(check(cublasLtMatrixLayoutCreate(&p->d, type, d_rows, d_columns, (int64_t)d_rows), "d",
                  err));
    STK_TRY(check(cublasLtMatmulPreferenceCreate(&p->preference), "preference", err));
    return check(cublasLtMatmulPreferenceSetAttribute(
                     p->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                     &stage->workspace_bytes, sizeof stage->workspace_bytes),
                 "workspace", err);
}

static void release(product *p)
{
    if (p->preference) cublasLtMatmulPreferenceDestroy(p->preference);
    if (p->d) cublasLtMatrixLayoutDestroy(p->d);
    if (p->b) cublasLtMatrixLayoutDestroy(p->b);
    if (p->a) cublasLtMatrixLayoutDestroy(p->a);
    if (p->desc) cublasLtMatmulDescDestroy(p->desc);
}

static stk_status sample(const product *p, const gemm_stage *stage,
                         const cublasLtMatmulAlgo_t *algo, cudaEvent_t begin, cudaEvent_t end,
                         double *us, stk_error *err)
{
    const float one = 1, zero = 0;
    float       milliseconds;
    STK_TRY(check_cuda(cudaEventRecord(begin, stage->stream), "cudaEventRecord", err));
    for (int i = 0; i < stage->sets; i++) {
        void *const *t = stage->data + 3 * i;
        STK_TRY(check(cublasLtMatmul(stage->handle, p->desc, &one, t[p->first], p->a, t[p->second],
                                     p->b, &zero, t[p->third], p->d, t[p->third], p->d, algo,
                                     stage->workspace, stage->workspace_bytes, stage->stream),
                      "cublasLtMatmul", err));
    }
    STK_TRY(check_cuda(cudaEventRecord(end, stage->stream), "cudaEventRecord", err));
    STK_TRY(check_cuda(cudaEventSynchronize(end), "a product", err));
    STK_TRY(check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "elapsed", err));
    *us = 1e3 * milliseconds / stage->sets;
    return STK_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static stk_status time_algorithms(const product *p, const gemm_stage *stage, cudaEvent_t begin,
                                  cudaEvent_t end, double *us, int *algo, stk_error *err)
{
    cublasLtMatmulHeuristicResult_t found[ALGORITHMS];
    int                             count = 0;
    STK_TRY(check(cublasLtMatmulAlgoGetHeuristic(stage->handle, p->desc, p->a, p->b, p->d, p->d,
                                                 p->preference, ALGORITHMS, found, &count),
                  "cublasLtMatmulAlgoGetHeuristic", err));
    *us = 0;
    for (int i = 0; i < count; i++) {
        double list[SAMPLES];
        if (found[i].state != CUBLAS_STATUS_SUCCESS) continue;
        for (int k = -1; k < SAMPLES; k++)
            STK_TRY(sample(p, stage, &found[i].algo, begin, end, &list[k < 0 ? 0 : k], err));
        qsort(list, SAMPLES, sizeof *list, by_value);
        if (*us > 0 && *us <= list[SAMPLES / 2]) continue;
        *us = list[SAMPLES / 2];
        *algo = i;
    }
    if (*us > 0) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "cublasLt", NULL, "no algorithm of %d runs", count);
}

stk_status gemm_time(const gemm_stage *stage, const conv_shape *conv, int64_t batch,
                     cudnnDataType_t type, int pass, double *us, int *algo, stk_error *err)
{
    product     p;
    cudaEvent_t begin = NULL, end = NULL;
    stk_status  st = describe(&p, stage, conv, batch,
                             type == CUDNN_DATA_HALF ? CUDA_R_16F : CUDA_R_16BF, pass, err);
    if (!st) st = check_cuda(cudaEventCreate(&begin), "cudaEventCreate", err);
    if (!st) st = check_cuda(cudaEventCreate(&end), "cudaEventCreate", err);
    if (!st) st = time_algorithms(&p, stage, begin, end, us, algo, err);
    if (begin) cudaEventDestroy(begin);
    if (end) cudaEventDestroy(end);
    release(&p);
    return st;
}
