/* Cross-entropy with class weights, and focal loss. */
#ifndef STK_COMPUTE_CUDA_KERNELS_WEIGHTED_LOSS_H
#define STK_COMPUTE_CUDA_KERNELS_WEIGHTED_LOSS_H

#include "compute/cuda_kernels/labels.h"

STK_CUDA_BEGIN

typedef struct stk_cuda_weighted_args {
    int             dtype; /* of logits and dlogits */
    const void     *logits;
    stk_cuda_labels labels;
    const float    *weights; /* per class; NULL: all 1 */
    float           smoothing, gamma;
    double         *total; /* scratch: divisor of the loss */
    float          *each;  /* scratch of the loss: rows floats, at least one */
} stk_cuda_weighted_args;

cudaError_t stk_cuda_weighted_loss_launch(const stk_cuda_weighted_args *args, float *loss,
                                          cudaStream_t stream);
cudaError_t stk_cuda_weighted_loss_grad_launch(const stk_cuda_weighted_args *args,
                                               const float *dloss, void *dlogits,
                                               cudaStream_t stream);

STK_CUDA_END
#endif
