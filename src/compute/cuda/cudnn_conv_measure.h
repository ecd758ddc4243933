/* Timing the ways to compute one convolution against each other. */
#ifndef STK_COMPUTE_CUDA_CUDNN_CONV_MEASURE_H
#define STK_COMPUTE_CUDA_CUDNN_CONV_MEASURE_H

#include "compute/cuda/cudnn_conv_algorithm.h"
#include "compute/cuda/cudnn_libraries.h"
#include "compute/cuda/cudnn_tune.h"

enum { STK_CONV_GRAPHS = 2 }; /* the convolution proper; with all that follows */

/* What there is to choose from; any of it may be missing. */
typedef struct stk_conv_candidates {
    stk_cudnn_graph  *graph[STK_CONV_GRAPHS];
    stk_cudnn_search *search[STK_CONV_GRAPHS]; /* built */
    stk_cublas_conv  *gemm;
} stk_conv_candidates;

void stk_conv_candidates_release(stk_conv_candidates *candidates);
/* The way a plan of search or the product's algorithm is; lends what offers have. */
stk_conv_algorithm stk_conv_algorithm_of(const stk_conv_candidates *candidates, int graph,
                                         const stk_cudnn_result *result);
/* The fastest; lends what offers have. STK_E_NOMEM: there is no room on the GPU to time in. */
STK_NODISCARD stk_status stk_conv_measure(stk_device *device, const stk_cuda_libraries *libraries,
                                          const stk_conv_problem *c,
                                          stk_conv_candidates *candidates, stk_conv_algorithm *out,
                                          double *us, stk_error *err);

#endif
