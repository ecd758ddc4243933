#include "compute/cuda/cublas_conv.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 }; /* of all device memory */

struct stk_cublas_conv {
    cublasLtHandle_t                handle;
    cublasLtMatmulDesc_t            desc;
    cublasLtMatrixLayout_t          a, b, d;
    bool                            swapped; /* a is the second operand */
    size_t                          limit;   /* of the workspace */
    cublasLtMatmulHeuristicResult_t found[STK_CUBLAS_ALGORITHMS];
    int                             count;
    cublasLtMatmulAlgo_t            algorithm;
    size_t                          workspace;
};

static stk_status check(cublasStatus_t status, const char *tried, stk_error *err)
{
    if (status == CUBLAS_STATUS_SUCCESS) return STK_OK;
    bool cannot = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE;
    stk_status st = status == CUBLAS_STATUS_ALLOC_FAILED ? STK_E_NOMEM
                    : cannot                             ? STK_E_UNSUPPORTED
                                                         : STK_E_IO;
    return stk_fail(err, st, "cublasLt", tried, "%s", cublasLtGetStatusString(status));
}

static cudaDataType_t type_of(stk_dtype dtype)
{
    return dtype == STK_DTYPE_F16 ? CUDA_R_16F : dtype == STK_DTYPE_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

static stk_status describe_type(stk_cublas_conv *p, const stk_conv_problem *c, stk_error *err)
{
    const cublasOperation_t flip = CUBLAS_OP_T;
    cublasComputeType_t     compute =
        c->tf32 && c->dtype == STK_DTYPE_F32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    STK_TRY(check(cublasLtMatmulDescCreate(&p->desc, compute, CUDA_R_32F), "a description", err));
    if (c->pass == STK_CONV_INPUT) return STK_OK;
    return check(cublasLtMatmulDescSetAttribute(p->desc,
                                                c->pass == STK_CONV_FORWARD
                                                    ? CUBLASLT_MATMUL_DESC_TRANSA
                                                    : CUBLASLT_MATMUL_DESC_TRANSB,
                                                &flip, sizeof flip),
                 "a transposition", err);
}

/* cuBLAS is column-major: a row-major [m, c] is a column-major [c, m]. y = x w^T becomes y' = w'^T
 * x'; dx = dy w becomes dx' = w' dy'; dw = dy^T x becomes dw' = x' dy'^T. */
static stk_status describe(stk_cublas_conv *p, const stk_conv_problem *c, stk_error *err)
{
    const stk_conv2d_shape *s = &c->shape;
    cudaDataType_t          type = type_of(c->dtype);
    uint64_t                rows = (uint64_t)(s->batch * s->in_h * s->in_w), in = (uint64_t)s->in_c;
    uint64_t                out = (uint64_t)s->out_c;
    bool     by_weight = c->pass == STK_CONV_WEIGHT, forward = c->pass == STK_CONV_FORWARD;
    uint64_t a_columns = by_weight ? rows : out, b_rows = forward ? in : out;
    uint64_t d_rows = forward ? out : in, d_columns = by_weight ? out : rows;
    p->swapped = !by_weight;
    STK_TRY(describe_type(p, c, err));
    STK_TRY(check(cublasLtMatrixLayoutCreate(&p->a, type, in, a_columns, (int64_t)in), "a", err));
    STK_TRY(
        check(cublasLtMatrixLayoutCreate(&p->b, type, b_rows, rows, (int64_t)b_rows), "b", err));
    return check(cublasLtMatrixLayoutCreate(&p->d, type, d_rows, d_columns, (int64_t)d_rows), "d",
                 err);
}

static cublasStatus_t prefer(cublasLtMatmulPreference_t to, size_t workspace)
{
    static const cublasLtMatmulPreferenceAttributes_t aligned[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    /* Partial sums are reduced in float32. */
    const uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, alignment = ALIGNMENT;
    cublasStatus_t st = cublasLtMatmulPreferenceSetAttribute(
        to, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
    if (!st)
        st = cublasLtMatmulPreferenceSetAttribute(to, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                                  &reduction, sizeof reduction);
    for (size_t i = 0; !st && i < sizeof aligned / sizeof *aligned; i++)
        st = cublasLtMatmulPreferenceSetAttribute(to, aligned[i], &alignment, sizeof alignment);
    return st;
}

static stk_status query_heuristics(stk_cublas_conv *p, stk_error *err)
{
    cublasLtMatmulPreference_t preference = NULL;
    int                        count = 0;
    cublasStatus_t             st = cublasLtMatmulPreferenceCreate(&preference);
    if (!st) st = prefer(preference, p->limit);
    if (!st)
        st = cublasLtMatmulAlgoGetHeuristic(p->handle, p->desc, p->a, p->b, p->d, p->d, preference,
                                            STK_CUBLAS_ALGORITHMS, p->found, &count);
    if (preference) cublasLtMatmulPreferenceDestroy(preference);
    STK_TRY(check(st, "cublasLtMatmulAlgoGetHeuristic", err));
    for (int i = 0; i < count; i++)
        if (p->found[i].state == CUBLAS_STATUS_SUCCESS) p->found[p->count++] = p->found[i];
    if (p->count) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "cublasLt", NULL, "no algorithm fits");
}

stk_status stk_cublas_conv_new(stk_cublas_conv **out, cublasLtHandle_t handle,
                               const stk_conv_problem *c, size_t workspace, stk_error *err)
{
    *out = NULL;
    stk_cublas_conv *p = calloc(1, sizeof *p);
    if (!p) return stk_fail(err, STK_E_NOMEM, "cublasLt", NULL, "no memory for a GEMM");
    p->handle = handle;
    p->limit = workspace;
    stk_status st = describe(p, c, err);
    if (!st) st = query_heuristics(p, err);
    if (st) {
        stk_cublas_conv_free(p);
        return st;
    }
    stk_cublas_conv_choose(p, 0);
    *out = p;
    return STK_OK;
}

void stk_cublas_conv_free(stk_cublas_conv *gemm)
{
    if (!gemm) return;
    if (gemm->d) cublasLtMatrixLayoutDestroy(gemm->d);
    if (gemm->b) cublasLtMatrixLayoutDestroy(gemm->b);
    if (gemm->a) cublasLtMatrixLayoutDestroy(gemm->a);
    if (gemm->desc) cublasLtMatmulDescDestroy(gemm->desc);
    free(gemm);
}

int stk_cublas_conv_count(const stk_cublas_conv *gemm)
{
    return gemm->count;
}

void stk_cublas_conv_choose(stk_cublas_conv *gemm, int index)
{
    gemm->algorithm = gemm->found[index].algo;
    gemm->workspace = gemm->found[index].workspaceSize;
}

size_t stk_cublas_conv_workspace(const stk_cublas_conv *gemm)
{
    return gemm->workspace;
}

char *stk_cublas_conv_text(const stk_cublas_conv *gemm, char *text, size_t capacity)
{
    const uint64_t *word = gemm->algorithm.data;
    size_t          used = 0, words = sizeof gemm->algorithm.data / sizeof *word;
    for (size_t i = 0; i < words && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%" PRIx64, i ? "." : "", word[i]);
    return text;
}

stk_status stk_cublas_conv_parse(stk_cublas_conv *gemm, const char *text, stk_error *err)
{
    cublasLtMatmulAlgo_t            algorithm = {0};
    cublasLtMatmulHeuristicResult_t result;
    size_t                          words = sizeof algorithm.data / sizeof *algorithm.data;
    int                             used = 0;
    for (size_t i = 0; i < words; i++, text += used)
        if (sscanf(text, i ? ".%" SCNx64 "%n" : "%" SCNx64 "%n", &algorithm.data[i], &used) != 1)
            return stk_fail(err, STK_E_FORMAT, "cublasLt", text, "is no algorithm of %zu words",
                            words);
    STK_TRY(check(cublasLtMatmulAlgoCheck(gemm->handle, gemm->desc, gemm->a, gemm->b, gemm->d,
                                          gemm->d, &algorithm, &result),
                  "cublasLtMatmulAlgoCheck", err));
    if (result.workspaceSize > gemm->limit)
        return stk_fail(err, STK_E_UNSUPPORTED, "cublasLt", text,
                        "needs a workspace of %zu bytes; the limit is %zu", result.workspaceSize,
                        gemm->limit);
    gemm->algorithm = algorithm;
    gemm->workspace = result.workspaceSize;
    return STK_OK;
}

stk_status stk_cublas_conv_run(const stk_cublas_conv *gemm, const void *first, const void *second,
                               const void *third, void *result, void *workspace,
                               cudaStream_t stream, stk_error *err)
{
    const float one = 1, kept = third ? 1 : 0;
    const void *a = gemm->swapped ? second : first, *b = gemm->swapped ? first : second;
    return check(cublasLtMatmul(gemm->handle, gemm->desc, &one, a, gemm->a, b, gemm->b, &kept,
                                third ? third : result, gemm->d, result, gemm->d, &gemm->algorithm,
                                workspace, gemm->workspace, stream),
                 "cublasLtMatmul", err);
}
