/* embedding(table, ids) and embedding_grad(dy, ids). */
#ifndef STK_COMPUTE_CUDA_KERNELS_EMBEDDING_H
#define STK_COMPUTE_CUDA_KERNELS_EMBEDDING_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_embedding_args {
    int         dtype, id_dtype; /* stk_dtypes: of table, y; of ids: I32 or I64 */
    int64_t     rows, width;     /* of the table */
    int64_t     count;           /* number of ids */
    const void *ids;
} stk_cuda_embedding_args;

cudaError_t stk_cuda_embedding_launch(const stk_cuda_embedding_args *args, const void *table,
                                      void *y, cudaStream_t stream);
cudaError_t stk_cuda_embedding_grad_launch(const stk_cuda_embedding_args *args, const void *dy,
                                           void *dtable, cudaStream_t stream);

STK_CUDA_END
#endif
