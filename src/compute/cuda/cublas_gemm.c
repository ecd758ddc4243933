/* Describes a GEMM to cuBLAS. */
#include "compute/cuda/cublas.h"

stk_status stk_cublas_fail(stk_error *err, cublasStatus_t code, const char *tried,
                           const char *where)
{
    stk_status status = code == CUBLAS_STATUS_ALLOC_FAILED ? STK_E_NOMEM : STK_E_IO;
    return stk_fail(err, status, "cublas", where, "%s: %s (%s)", tried,
                    cublasLtGetStatusString(code), cublasLtGetStatusName(code));
}

static cudaDataType_t type_of(int dtype)
{
    return dtype == STK_DTYPE_F16 ? CUDA_R_16F : dtype == STK_DTYPE_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

/* A row-major matrix is its transpose in cuBLAS' column-major layout. */
static cublasStatus_t make_layout(cublasLtMatrixLayout_t *out, const stk_cuda_matmul_args *args,
                                  int64_t rows, int64_t columns)
{
    int32_t        batch = (int32_t)args->batch;
    int64_t        apart = rows * columns;
    cublasStatus_t code = cublasLtMatrixLayoutCreate(out, type_of(args->dtype), (uint64_t)columns,
                                                     (uint64_t)rows, columns);
    if (!code)
        code = cublasLtMatrixLayoutSetAttribute(*out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                                sizeof batch);
    if (!code)
        code = cublasLtMatrixLayoutSetAttribute(*out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                &apart, sizeof apart);
    return code;
}

static cublasStatus_t make_desc(stk_cublas_gemm *p, const stk_cuda_matmul_args *args, bool tf32)
{
    cublasComputeType_t compute =
        tf32 && args->dtype == STK_DTYPE_F32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    cublasOperation_t transpose_b = args->b_row == 1 ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasOperation_t transpose_a = args->a_row == 1 ? CUBLAS_OP_T : CUBLAS_OP_N;
    unsigned          last = CUBLASLT_EPILOGUE_DEFAULT;
    if (p->bias) last = p->relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
    if (!p->bias && p->relu) last = CUBLASLT_EPILOGUE_RELU;
    cublasStatus_t code = cublasLtMatmulDescCreate(&p->desc, compute, CUDA_R_32F);
    if (!code)
        code = cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_TRANSA, &transpose_b,
                                              sizeof transpose_b);
    if (!code)
        code = cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_TRANSB, &transpose_a,
                                              sizeof transpose_a);
    if (!code)
        code = cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &last,
                                              sizeof last);
    return code;
}

stk_status stk_cublas_gemm_init(stk_cublas_gemm *p, const stk_cuda_matmul_args *args, bool tf32,
                                const char *where, stk_error *err)
{
    bool transpose_a = args->a_row == 1, transpose_b = args->b_row == 1;
    bool has_bias = args->bias_dtype != STK_DTYPE_NONE;
    *p = (stk_cublas_gemm){.bias = has_bias && args->bias_dtype == args->dtype};
    p->relu = args->act.act == STK_CUDA_ACT_RELU && has_bias == p->bias;
    STK_CUBLAS_TRY(make_desc(p, args, tf32), where, err);
    STK_CUBLAS_TRY(
        make_layout(&p->b, args, transpose_b ? args->n : args->k, transpose_b ? args->k : args->n),
        where, err);
    STK_CUBLAS_TRY(
        make_layout(&p->a, args, transpose_a ? args->k : args->m, transpose_a ? args->m : args->k),
        where, err);
    STK_CUBLAS_TRY(make_layout(&p->out, args, args->m, args->n), where, err);
    return STK_OK;
}

void stk_cublas_gemm_release(stk_cublas_gemm *p)
{
    if (p->desc) cublasLtMatmulDescDestroy(p->desc);
    if (p->b) cublasLtMatrixLayoutDestroy(p->b);
    if (p->a) cublasLtMatrixLayoutDestroy(p->a);
    if (p->out) cublasLtMatrixLayoutDestroy(p->out);
    *p = (stk_cublas_gemm){0};
}
