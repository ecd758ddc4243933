/* Matrix products of any shape and order, a bias, an activation. */
#ifndef STK_COMPUTE_CUDA_KERNELS_MATMUL_H
#define STK_COMPUTE_CUDA_KERNELS_MATMUL_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_matmul_args {
    int                 dtype, bias_dtype; /* stk_dtypes; the bias may be float32 */
    int64_t             batch, m, n, k;
    int64_t             a_row, a_column, b_row, b_column; /* elements apart */
    const void         *a, *b, *bias;                     /* bias: NULL without */
    void               *out;
    stk_cuda_activation act;
} stk_cuda_matmul_args;

cudaError_t stk_cuda_matmul_launch(const stk_cuda_matmul_args *args, cudaStream_t stream);
/* out = activation(out + bias), of out alone: what a product of another kernel still lacks. */
cudaError_t stk_cuda_matmul_finish_launch(const stk_cuda_matmul_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
