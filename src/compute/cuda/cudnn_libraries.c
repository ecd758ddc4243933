#include "compute/cuda/cudnn_libraries.h"
#include "compute/cuda/cublas.h"
#include "compute/cuda/cudnn_conv_choose.h"
#include <stdio.h>
#include <stdlib.h>

static void release(stk_cuda *cuda)
{
    stk_cuda_libraries *l = cuda->libraries;
    if (!l) return;
    stk_conv_choices_free(l->convs);
    stk_tuning_free(l->tuning);
    if (l->cudnn) cudnnDestroy(l->cudnn);
    free(l);
    cuda->libraries = NULL;
}

/* Identity of a tuning file: choices are valid for one GPU, driver and set of libraries. */
static stk_status open_tuning(const stk_cuda *cuda, stk_cuda_libraries *l, stk_error *err)
{
    char name[256];
    int  driver = 0;
    STK_CUDA_TRY(cudaDriverGetVersion(&driver), cuda->name, err);
    snprintf(name, sizeof name, "cuda-%s-cudnn%zu-cublas%zu-driver%d.txt", cuda->name,
             cudnnGetVersion(), cublasLtGetVersion(), driver);
    return stk_tuning_open(&l->tuning, name, err);
}

static stk_status start(stk_cuda *cuda, stk_cuda_libraries *l, stk_error *err)
{
    STK_CUDA_TRY(cudaSetDevice(cuda->ordinal), cuda->name, err);
    cudnnStatus_t st = cudnnCreate(&l->cudnn);
    if (!st) st = cudnnSetStream(l->cudnn, cuda->stream);
    if (st)
        return stk_fail(err, STK_E_IO, "cudnn", cuda->name, "cuDNN cannot be started: %s",
                        cudnnGetErrorString(st));
    STK_TRY(stk_cublas_handle(cuda, &l->blas, err));
    STK_TRY(open_tuning(cuda, l, err));
    return stk_conv_choices_new(&l->convs, err);
}

stk_status stk_cuda_libraries_of(const stk_device *device, stk_cuda_libraries **out, stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    *out = cuda->libraries;
    if (*out) return STK_OK;
    cuda->libraries = calloc(1, sizeof *cuda->libraries);
    if (!cuda->libraries) return stk_fail(err, STK_E_NOMEM, "cuda", cuda->name, "no memory");
    cuda->release_libraries = release;
    stk_status st = start(cuda, cuda->libraries, err);
    if (st)
        release(cuda);
    else
        *out = cuda->libraries;
    return st;
}
