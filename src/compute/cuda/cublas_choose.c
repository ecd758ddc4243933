/* A device's handle and its table of measured GEMMs. Shapes repeat in a model (the blocks of a
 * transformer), and measuring takes milliseconds. */
#include "compute/cuda/cublas.h"
#include <stdlib.h>
#include <string.h>

enum { PROPOSALS = 12, TIMED = 5, ALIGNED = 16 };

/* Identity of a GEMM. */
typedef struct key {
    int     dtype, bias, relu, tf32;
    int     transpose_a, transpose_b;
    int64_t batch, m, n, k;
} key;

typedef struct known {
    key               key;
    stk_cublas_choice choice;
    struct known     *next;
} known;

struct stk_cuda_blas {
    cublasLtHandle_t handle;
    known           *first;
};

stk_status stk_cublas_handle(stk_cuda *cuda, cublasLtHandle_t *out, stk_error *err)
{
    if (!cuda->blas) cuda->blas = calloc(1, sizeof *cuda->blas);
    if (!cuda->blas) return stk_fail(err, STK_E_NOMEM, "cublas", cuda->name, "no memory");
    if (!cuda->blas->handle) STK_CUBLAS_TRY(cublasLtCreate(&cuda->blas->handle), cuda->name, err);
    *out = cuda->blas->handle;
    return STK_OK;
}

void stk_cuda_blas_free(stk_cuda *cuda)
{
    if (!cuda->blas) return;
    for (known *k = cuda->blas->first, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    if (cuda->blas->handle) cublasLtDestroy(cuda->blas->handle);
    free(cuda->blas);
    cuda->blas = NULL;
}

static key key_of(const stk_device *device, const stk_cublas_gemm *p,
                  const stk_cuda_matmul_args *args)
{
    key k;
    memset(&k, 0, sizeof k); /* compared as bytes */
    k.dtype = args->dtype;
    k.bias = p->bias, k.relu = p->relu, k.tf32 = device->options.tf32;
    k.transpose_a = args->a_row == 1, k.transpose_b = args->b_row == 1;
    k.batch = args->batch, k.m = args->m, k.n = args->n, k.k = args->k;
    return k;
}

/* In-place reductions would depend on the order of blocks. */
static cublasStatus_t make_preference(cublasLtMatmulPreference_t *out)
{
    static const struct {
        cublasLtMatmulPreferenceAttributes_t attribute;
        uint32_t                             value;
    } numbers[] = {
        {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, ALIGNED},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, ALIGNED},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, ALIGNED},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, ALIGNED},
    };
    uint64_t       workspace = STK_CUBLAS_WORKSPACE;
    cublasStatus_t code = cublasLtMatmulPreferenceCreate(out);
    if (!code)
        code = cublasLtMatmulPreferenceSetAttribute(*out, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &workspace, sizeof workspace);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !code; i++)
        code = cublasLtMatmulPreferenceSetAttribute(*out, numbers[i].attribute, &numbers[i].value,
                                                    sizeof numbers[i].value);
    return code;
}

/* No proposal is no error: a native kernel computes it. */
static stk_status propose(cublasLtHandle_t handle, const stk_cublas_gemm *p,
                          cublasLtMatmulHeuristicResult_t list[PROPOSALS], int *count,
                          stk_error *err)
{
    cublasLtMatmulPreference_t preference = NULL;
    int                        found = 0;
    cublasStatus_t             code = make_preference(&preference);
    *count = 0;
    if (!code) {
        code = cublasLtMatmulAlgoGetHeuristic(handle, p->desc, p->b, p->a, p->out, p->out,
                                              preference, PROPOSALS, list, &found);
        if (code == CUBLAS_STATUS_NOT_SUPPORTED) code = CUBLAS_STATUS_SUCCESS, found = 0;
    }
    if (preference) cublasLtMatmulPreferenceDestroy(preference);
    STK_CUBLAS_TRY(code, "proposals", err);
    for (int i = 0; i < found; i++)
        if (list[i].state == CUBLAS_STATUS_SUCCESS && list[i].workspaceSize <= STK_CUBLAS_WORKSPACE)
            list[(*count)++] = list[i];
    return STK_OK;
}

/* Buffers and events for timing proposals. */
typedef struct timing {
    cublasLtHandle_t       handle;
    const stk_cublas_gemm *gemm;
    cudaStream_t           stream;
    cudaEvent_t            begin, end;
    void                  *data[5]; /* a, b, out, bias, workspace */
} timing;

static bool set_timing(timing *s, const stk_cuda_matmul_args *args)
{
    size_t       width = args->dtype == STK_DTYPE_F32 ? 4 : 2, batch = (size_t)args->batch;
    size_t       m = (size_t)args->m, n = (size_t)args->n, k = (size_t)args->k;
    const size_t bytes[] = {batch * m * k * width, batch * k * n * width, batch * m * n * width,
                            n * width, STK_CUBLAS_WORKSPACE};
    for (int i = 0; i < 5; i++)
        if (cudaMalloc(&s->data[i], bytes[i]) != cudaSuccess ||
            cudaMemsetAsync(s->data[i], 0, bytes[i], s->stream) != cudaSuccess)
            return false;
    if (s->gemm->bias &&
        cublasLtMatmulDescSetAttribute(s->gemm->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                       &s->data[3], sizeof s->data[3]))
        return false;
    return cudaEventCreate(&s->begin) == cudaSuccess && cudaEventCreate(&s->end) == cudaSuccess;
}

static void clear_timing(timing *s)
{
    for (int i = 0; i < 5; i++)
        if (s->data[i]) cudaFree(s->data[i]);
    if (s->begin) cudaEventDestroy(s->begin);
    if (s->end) cudaEventDestroy(s->end);
    (void)cudaGetLastError(); /* clears the error, which the next call would return */
}

static bool try_once(const timing *s, const cublasLtMatmulHeuristicResult_t *r)
{
    const float            one = 1, zero = 0;
    const stk_cublas_gemm *p = s->gemm;
    return cublasLtMatmul(s->handle, p->desc, &one, s->data[1], p->b, s->data[0], p->a, &zero,
                          s->data[2], p->out, s->data[2], p->out, &r->algo, s->data[4],
                          r->workspaceSize, s->stream) == CUBLAS_STATUS_SUCCESS;
}

/* Microseconds of one run; 0: it fails. */
static float time_one(const timing *s, const cublasLtMatmulHeuristicResult_t *r)
{
    float ms = 0;
    bool  good = try_once(s, r) && cudaEventRecord(s->begin, s->stream) == cudaSuccess;
    for (int i = 0; i < TIMED && good; i++)
        good = try_once(s, r);
    good = good && cudaEventRecord(s->end, s->stream) == cudaSuccess &&
           cudaEventSynchronize(s->end) == cudaSuccess &&
           cudaEventElapsedTime(&ms, s->begin, s->end) == cudaSuccess;
    return good ? ms * 1000 / TIMED : 0;
}

/* The first proposal stays if none is clearly faster, or if there is no memory for timing. */
static int fastest(timing *s, const stk_cuda_matmul_args *args,
                   const cublasLtMatmulHeuristicResult_t *list, int count, float *us)
{
    bool ready = set_timing(s, args);
    int  best = 0;
    *us = 0;
    for (int i = 0; i < count && ready; i++) {
        float now = time_one(s, &list[i]);
        if (now > 0 && (*us == 0 || now < *us * 0.98f)) best = i, *us = now;
    }
    clear_timing(s);
    return best;
}

static stk_status choose(stk_device *device, const stk_cublas_gemm *p,
                         const stk_cuda_matmul_args *args, stk_cublas_choice *out, stk_error *err)
{
    stk_cuda                       *cuda = stk_cuda_of(device);
    cublasLtMatmulHeuristicResult_t list[PROPOSALS];
    timing                          s = {.gemm = p, .stream = cuda->stream};
    int                             best = 0;
    *out = (stk_cublas_choice){.proposed = 0};
    STK_TRY(stk_cublas_handle(cuda, &s.handle, err));
    STK_TRY(propose(s.handle, p, list, &out->proposed, err));
    if (out->proposed == 0) return STK_OK;
    if (out->proposed > 1 && !device->options.deterministic)
        best = fastest(&s, args, list, out->proposed, &out->us);
    out->algo = list[best].algo;
    out->workspace = list[best].workspaceSize;
    return STK_OK;
}

stk_status stk_cublas_choose(stk_device *device, const stk_cublas_gemm *p,
                             const stk_cuda_matmul_args *args, stk_cublas_choice *out,
                             stk_error *err)
{
    stk_cuda        *cuda = stk_cuda_of(device);
    cublasLtHandle_t handle;
    const key        wanted = key_of(device, p, args);
    STK_TRY(stk_cublas_handle(cuda, &handle, err));
    for (const known *k = cuda->blas->first; k; k = k->next)
        if (memcmp(&k->key, &wanted, sizeof wanted) == 0) {
            *out = k->choice;
            return STK_OK;
        }
    STK_TRY(choose(device, p, args, out, err));
    known *k = calloc(1, sizeof *k);
    if (!k) return stk_fail(err, STK_E_NOMEM, "cublas", cuda->name, "no memory");
    *k = (known){wanted, *out, cuda->blas->first};
    cuda->blas->first = k;
    return STK_OK;
}
