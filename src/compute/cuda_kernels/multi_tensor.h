/* An item of a multi-tensor launch. */
#ifndef STK_COMPUTE_CUDA_KERNELS_MULTI_TENSOR_H
#define STK_COMPUTE_CUDA_KERNELS_MULTI_TENSOR_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

enum { STK_CUDA_MULTI_TENSOR_MAX = 8, STK_CUDA_BATCH_ATTRS = 96 };

typedef struct stk_cuda_span {
    void  *at;
    size_t bytes;
} stk_cuda_span;

/* in is read only; out is written, and read if it is also an input. Unused entries are NULL. */
typedef struct stk_cuda_multi_tensor_item {
    stk_cuda_span in[STK_CUDA_MULTI_TENSOR_MAX], out[STK_CUDA_MULTI_TENSOR_MAX];
    int64_t       count;   /* elements */
    const void   *context; /* private to the kind's launch; must stay valid until then */
} stk_cuda_multi_tensor_item;

STK_CUDA_END
#endif
