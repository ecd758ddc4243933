/* Properties of the GPU, its driver and libraries. */
#include "compute/cuda/cuda.h"
#include <stdio.h>
#ifndef STK_CUDA_EMULATED
#include <cublasLt.h>
#include <cudnn_graph.h>
#endif

static void write_version(char *text, size_t capacity, int version)
{
    snprintf(text, capacity, "%d.%d", version / 1000, version % 1000 / 10);
}

void stk_cuda_info(const stk_device *device, stk_device_info *info)
{
    const stk_cuda *cuda = stk_cuda_of(device);
    int             version = 0;
    snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, cuda->name);
    info->processors = cuda->processors;
    info->memory = cuda->memory;
    if (cudaDriverGetVersion(&version) == cudaSuccess)
        write_version(info->driver, sizeof info->driver, version);
    if (cudaRuntimeGetVersion(&version) == cudaSuccess)
        write_version(info->runtime, sizeof info->runtime, version);
#ifndef STK_CUDA_EMULATED
    const size_t cudnn = cudnnGetVersion(), cublas = cublasLtGetVersion();
    snprintf(info->libraries, sizeof info->libraries, "cuDNN %zu.%zu.%zu, cuBLAS %zu.%zu.%zu",
             cudnn / 10000, cudnn % 10000 / 100, cudnn % 100, cublas / 10000, cublas % 10000 / 100,
             cublas % 100);
#endif
}
