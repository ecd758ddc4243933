/* Times algorithms for one convolution against each other. */
#ifndef STK_COMPUTE_CUDA_CUDNN_CONV_MEASURE_H
#define STK_COMPUTE_CUDA_CUDNN_CONV_MEASURE_H

#include "compute/cuda/cudnn_conv_algorithm.h"
#include "compute/cuda/cudnn_libraries.h"
#include "compute/cuda/cudnn_tune.h"

enum { STK_CONV_GRAPHS = 2 }; /* the plain convolution; with its epilogue */

/* Candidates; any may be missing. */
typedef struct stk_conv_candidates {
    stk_cudnn_graph  *graph[STK_CONV_GRAPHS];
    stk_cudnn_search *search[STK_CONV_GRAPHS]; /* with built plans */
    stk_cublas_conv  *gemm;
} stk_conv_candidates;

void stk_conv_candidates_release(stk_conv_candidates *candidates);
/* The algorithm of a plan or of the GEMM; borrows from candidates. */
stk_conv_algorithm stk_conv_algorithm_of(const stk_conv_candidates *candidates, int graph,
                                         const stk_cudnn_result *result);
/* The fastest algorithm; borrows from candidates. STK_E_NOMEM: no memory for timing. */
STK_NODISCARD stk_status stk_conv_measure(stk_device *device, const stk_cuda_libraries *libraries,
                                          const stk_conv_problem *c,
                                          stk_conv_candidates *candidates, stk_conv_algorithm *out,
                                          double *us, stk_error *err);

#endif
