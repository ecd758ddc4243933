/* The loss of logits and labels with weights of classes, and as a focal loss. */
#ifndef STK_COMPUTE_CUDA_KERNELS_WEIGHTED_LOSS_H
#define STK_COMPUTE_CUDA_KERNELS_WEIGHTED_LOSS_H

#include "compute/cuda_kernels/labels.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_weighted_args {
    int             dtype; /* of the logits and of dlogits */
    const void     *logits;
    stk_cuda_labels labels;
    const float    *weights; /* of classes; NULL: all 1 */
    float           smoothing, gamma;
    double         *total; /* scratch: what losses are divided by */
    float          *each;  /* scratch of the loss: rows floats, at least one */
} stk_cuda_weighted_args;

cudaError_t stk_cuda_weighted_loss_launch(const stk_cuda_weighted_args *args, float *loss,
                                          cudaStream_t stream);
cudaError_t stk_cuda_weighted_loss_grad_launch(const stk_cuda_weighted_args *args,
                                               const float *dloss, void *dlogits,
                                               cudaStream_t stream);

STK_CUDA_END
#endif
