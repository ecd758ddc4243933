/* dropout(x, step): of elements or of rows. */
#ifndef STK_COMPUTE_CUDA_KERNELS_DROPOUT_H
#define STK_COMPUTE_CUDA_KERNELS_DROPOUT_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_dropout_args {
    int            dtype;             /* an stk_dtype, of x and y */
    int64_t        count, group_size; /* elements; those that share one decision */
    uint64_t       seed, keep_from;   /* a random word is kept from least on */
    uint32_t       stream;
    float          scale;
    const int64_t *step;
    const void    *x;
    void          *y;
} stk_cuda_dropout_args;

cudaError_t stk_cuda_dropout_launch(const stk_cuda_dropout_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
