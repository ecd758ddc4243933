/* What own kernels of convolutions share: an op's use as they know it, formats, sums in parts. */
#ifndef STK_COMPUTE_CUDA_NATIVE_CONV_H
#define STK_COMPUTE_CUDA_NATIVE_CONV_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/conv.h"
#include "compute/cuda_kernels/reduce.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/window.h"

/* op: the kernel's own row of the op, whichever of the three it is. */
typedef struct stk_cuda_conv {
    stk_conv2d_shape  shape;
    stk_kernel_window down, across;
} stk_cuda_conv;

stk_cuda_conv stk_cuda_conv_of(const stk_graph_op *op, const stk_op_instance *instance);
/* Whether sizes fit the kernels' integers, and the activation and the bias's type are known. */
bool stk_cuda_conv_can(const stk_graph_op *op, const stk_op_instance *instance);
/* All but parts. */
stk_cuda_conv_args stk_cuda_conv_args_of(const stk_graph_op *op, const stk_kernel_call *call);

/* What of the activation is not in args: over y, after it was written. */
stk_status stk_cuda_conv_activate(const stk_kernel_call *call, stk_error *err);

/* For stk_kernel.formats: weights KRSC; x plain, or padded where it comes so. */
stk_status stk_cuda_conv_formats(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err);
stk_status stk_cuda_conv_input_formats(stk_device *device, const stk_op_instance *instance,
                                       const stk_format *have, stk_format *in, stk_format *out,
                                       stk_error *err);
stk_status stk_cuda_conv_weight_formats(stk_device *device, const stk_op_instance *instance,
                                        const stk_format *have, stk_format *in, stk_format *out,
                                        stk_error *err);

/* Gradients by weights: scratch for parts of them; adding up args' parts. */
stk_status  stk_cuda_conv_scratch(const stk_kernel_call *call, int parts, size_t *scratch,
                                  stk_error *err);
cudaError_t stk_cuda_conv_sum(const stk_cuda_conv_args *args, cudaStream_t stream);

/* What is left to do with parts in the scratch: mean and variance of channels, as depthwise.h has
 * them; so many weights, as they lie. */
stk_status stk_cuda_conv_statistics(const stk_kernel_call *call, int channels, int parts,
                                    stk_error *err);
stk_status stk_cuda_conv_sum_weights(const stk_kernel_call *call, int64_t weights, int parts,
                                     stk_error *err);

/* Of gradients by weights: dbias as the sum of dy over all but channels; all but partial. */
stk_cuda_reduce_args stk_cuda_conv_bias_sum(const stk_kernel_call *call);

#endif
