/* Second half of reductions across blocks: adds partials in order. */
#ifndef STK_COMPUTE_CUDA_KERNELS_SUM_PARTIALS_H
#define STK_COMPUTE_CUDA_KERNELS_SUM_PARTIALS_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_sum_partials_args {
    int          dtype; /* of the results, an stk_dtype */
    int          partials;
    int64_t      first_count, count; /* results: those in first, all */
    const float *from;               /* [partials][count] */
    void        *first, *rest;       /* results up to first_count; the others */
} stk_cuda_sum_partials_args;

cudaError_t stk_cuda_sum_partials_launch(const stk_cuda_sum_partials_args *args,
                                         cudaStream_t                      stream);

STK_CUDA_END
#endif
