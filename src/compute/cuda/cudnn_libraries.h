/* cuDNN and cuBLAS handles on a device's stream, and their measured choices. */
#ifndef STK_COMPUTE_CUDA_CUDNN_LIBRARIES_H
#define STK_COMPUTE_CUDA_CUDNN_LIBRARIES_H

#include "compute/cuda/cuda.h"
#include "compute/runtime/tuning.h"
#include <cublasLt.h>
#include <cudnn_graph.h>

typedef struct stk_conv_choices stk_conv_choices;

struct stk_cuda_libraries {
    cudnnHandle_t     cudnn;
    cublasLtHandle_t  blas;      /* owned by cublas.h's state */
    stk_tuning       *tuning;    /* for this GPU, driver and libraries */
    char              kept[256]; /* why the tuning file could not be saved; else "" */
    stk_conv_choices *convs;     /* state of cudnn_conv_choose.c */
};

/* Created on first use, released with the device. */
STK_NODISCARD stk_status stk_cuda_libraries_of(const stk_device *device, stk_cuda_libraries **out,
                                               stk_error *err);

#endif
