/* Labels for kernels; losses and metrics over rows of logits. */
#ifndef STK_COMPUTE_CUDA_KERNELS_LABELS_H
#define STK_COMPUTE_CUDA_KERNELS_LABELS_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_labels {
    const void *data;
    int     dtype; /* an stk_dtype: I32, I64: class indices; F32: probabilities [rows,classes] */
    int64_t rows, classes;
} stk_cuda_labels;

typedef struct stk_cuda_loss_args {
    int             dtype; /* of logits and dlogits */
    const void     *logits;
    stk_cuda_labels labels;
    float           smoothing;
    float          *each; /* scratch: rows floats, at least one */
} stk_cuda_loss_args;

/* *loss: mean over the rows with a label. */
cudaError_t stk_cuda_cross_entropy_launch(const stk_cuda_loss_args *args, float *loss,
                                          cudaStream_t stream);
cudaError_t stk_cuda_cross_entropy_grad_launch(const stk_cuda_loss_args *args, const float *dloss,
                                               void *dlogits, cudaStream_t stream);
/* *count: rows whose label is among the k largest logits. */
cudaError_t stk_cuda_top_k_launch(const stk_cuda_loss_args *args, int64_t k, float *count,
                                  cudaStream_t stream);
/* *count: rows with a label. */
cudaError_t stk_cuda_count_labels_launch(const stk_cuda_labels *labels, float *count,
                                         cudaStream_t stream);

STK_CUDA_END
#endif
