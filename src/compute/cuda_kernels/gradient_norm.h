/* Sum of squares over any number of tensors, and count of non-finite elements. */
#ifndef STK_COMPUTE_CUDA_KERNELS_GRADIENT_NORM_H
#define STK_COMPUTE_CUDA_KERNELS_GRADIENT_NORM_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

enum { STK_CUDA_NORM_CHUNK = 8192, STK_CUDA_NORM_TENSORS = 512 };

typedef struct stk_cuda_norm_table {
    double     *sums; /* two per chunk, from this launch's first on */
    int         tensors;
    int         first[STK_CUDA_NORM_TENSORS + 1]; /* first chunk of each tensor; the end */
    const void *data[STK_CUDA_NORM_TENSORS];
    int64_t     count[STK_CUDA_NORM_TENSORS];
    int         dtype[STK_CUDA_NORM_TENSORS];
} stk_cuda_norm_table;

static inline int64_t stk_cuda_norm_chunks(int64_t count)
{
    return (count + STK_CUDA_NORM_CHUNK - 1) / STK_CUDA_NORM_CHUNK;
}

/* Sums per chunk. Sets first. */
cudaError_t stk_cuda_norm_launch(stk_cuda_norm_table *table, cudaStream_t stream);
/* Adds the sums of all chunks to to[2]. */
cudaError_t stk_cuda_norm_total_launch(const double *sums, int64_t chunks, float *to,
                                       cudaStream_t stream);

STK_CUDA_END
#endif
