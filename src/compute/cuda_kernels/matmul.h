/* GEMMs of any shape and strides, with bias and activation. */
#ifndef STK_COMPUTE_CUDA_KERNELS_MATMUL_H
#define STK_COMPUTE_CUDA_KERNELS_MATMUL_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_matmul_args {
    int                 dtype, bias_dtype; /* stk_dtypes; the bias may be float32 */
    int64_t             batch, m, n, k;
    int64_t             a_row, a_column, b_row, b_column; /* strides in elements */
    const void         *a, *b, *bias;                     /* bias may be NULL */
    void               *out;
    stk_cuda_activation act;
} stk_cuda_matmul_args;

cudaError_t stk_cuda_matmul_launch(const stk_cuda_matmul_args *args, cudaStream_t stream);
/* out = activation(out + bias): the epilogue that another kernel's GEMM lacks. */
cudaError_t stk_cuda_matmul_finish_launch(const stk_cuda_matmul_args *args, cudaStream_t stream);

STK_CUDA_END
#endif
