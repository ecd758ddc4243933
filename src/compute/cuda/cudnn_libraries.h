/* cuDNN and cuBLAS on a device's stream, and what was measured with them. */
#ifndef STK_COMPUTE_CUDA_CUDNN_LIBRARIES_H
#define STK_COMPUTE_CUDA_CUDNN_LIBRARIES_H

#include "compute/cuda/cuda.h"
#include "compute/runtime/tuning.h"
#include <cublasLt.h>
#include <cudnn_graph.h>

typedef struct stk_conv_choices stk_conv_choices;

struct stk_cuda_libraries {
    cudnnHandle_t     cudnn;
    cublasLtHandle_t  blas;      /* of cublas.h */
    stk_tuning       *tuning;    /* of this GPU, driver and libraries */
    char              kept[256]; /* why the tuning's file could not be written; else empty */
    stk_conv_choices *convs;     /* of cudnn_conv_choose.c */
};

/* Made when they are asked for the first time, released with the device. */
STK_NODISCARD stk_status stk_cuda_libraries_of(const stk_device *device, stk_cuda_libraries **out,
                                               stk_error *err);

#endif
