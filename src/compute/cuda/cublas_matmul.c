/* matmul by cuBLAS. Native kernels compute epilogues that cuBLAS lacks, and GEMMs that it does not
 * support. */
#include "compute/cuda/cublas.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/matmul.h"
#include <stdio.h>
#include <stdlib.h>

enum { ALIGNED = 256 }; /* bytes, of the workspace */

typedef struct job {
    stk_cublas_gemm   gemm;
    stk_cublas_choice choice;
    cublasLtHandle_t  handle;
    char              text[96];
} job;

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    stk_matmul_shape s = stk_matmul_shape_of(instance);
    (void)device;
    return stk_cuda_matmul_can(instance) && s.batch > 0 && s.batch <= INT32_MAX && s.m > 0 &&
           s.n > 0 && s.k > 0;
}

static void describe(job *j)
{
    int      id = 0;
    uint32_t tile = 0, split = 0;
    size_t   written;
    cublasLtMatmulAlgoConfigGetAttribute(&j->choice.algo, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id,
                                         &written);
    cublasLtMatmulAlgoConfigGetAttribute(&j->choice.algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile,
                                         sizeof tile, &written);
    cublasLtMatmulAlgoConfigGetAttribute(&j->choice.algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &split,
                                         sizeof split, &written);
    snprintf(j->text, sizeof j->text, "algo %d tile %u split %u, of %d", id, tile, split,
             j->choice.proposed);
}

static void release(stk_kernel_call *call)
{
    job *j = call->state;
    if (!j) return;
    stk_cublas_gemm_release(&j->gemm);
    free(j);
    call->state = NULL;
}

static stk_status build(stk_kernel_call *call, job *j, stk_error *err)
{
    stk_cuda_matmul_args args = stk_cuda_matmul_args_of(call);
    const char          *where = call->instance.name;
    STK_TRY(stk_cublas_handle(stk_cuda_of(call->device), &j->handle, err));
    STK_TRY(stk_cublas_gemm_init(&j->gemm, &args, call->device->options.tf32, where, err));
    STK_TRY(stk_cublas_choose(call->device, &j->gemm, &args, &j->choice, err));
    if (j->choice.proposed) describe(j);
    return STK_OK;
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    job *j = calloc(1, sizeof *j);
    if (!j) return stk_fail(err, STK_E_NOMEM, "matmul", call->instance.name, "no memory");
    call->state = j;
    stk_status st = build(call, j, err);
    if (st) release(call);
    if (!st && j->choice.workspace) *scratch = j->choice.workspace + ALIGNED;
    return st;
}

/* The epilogue that cuBLAS did not fuse. */
static stk_status finish(const stk_kernel_call *call, const job *j, stk_cuda_matmul_args *args,
                         stk_error *err)
{
    if (j->gemm.bias) args->bias = NULL;
    if (j->gemm.relu) args->act.act = STK_CUDA_ACT_NONE;
    if (!args->bias && args->act.act == STK_CUDA_ACT_NONE) return STK_OK;
    return stk_cuda_launched(
        call, stk_cuda_matmul_finish_launch(args, stk_cuda_of(call->device)->stream), err);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const job             *j = call->state;
    const stk_cublas_gemm *p = &j->gemm;
    const float            one = 1, zero = 0;
    stk_cuda_matmul_args   args = stk_cuda_matmul_args_of(call);
    cudaStream_t           stream = stk_cuda_of(call->device)->stream;
    uintptr_t workspace = ((uintptr_t)call->scratch + ALIGNED - 1) & ~(uintptr_t)(ALIGNED - 1);
    if (j->choice.proposed == 0)
        return stk_cuda_launched(call, stk_cuda_matmul_launch(&args, stream), err);
    if (p->bias)
        STK_CUBLAS_TRY(cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                                      &args.bias, sizeof args.bias),
                       call->instance.name, err);
    STK_CUBLAS_TRY(cublasLtMatmul(j->handle, p->desc, &one, args.b, p->b, args.a, p->a, &zero,
                                  args.out, p->out, args.out, p->out, &j->choice.algo,
                                  (void *)workspace, j->choice.workspace, stream),
                   call->instance.name, err);
    return finish(call, j, &args, err);
}

static const char *detail(const stk_kernel_call *call)
{
    return ((const job *)call->state)->text;
}

const stk_kernel stk_cuda_cublas_matmul = {
    .op = &stk_graph_op_matmul,
    .name = "cublas",
    .can = can,
    .prepare = prepare,
    .run = run,
    .release = release,
    .detail = detail,
};
