/* Shared by native convolution kernels: arguments, formats, partial sums. */
#ifndef STK_COMPUTE_CUDA_NATIVE_CONV_H
#define STK_COMPUTE_CUDA_NATIVE_CONV_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/conv.h"
#include "compute/cuda_kernels/reduce.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/window.h"

/* op: the row of the direction's op in this plug-in. */
typedef struct stk_cuda_conv {
    stk_conv2d_shape  shape;
    stk_kernel_window down, across;
} stk_cuda_conv;

stk_cuda_conv stk_cuda_conv_of(const stk_graph_op *op, const stk_op_instance *instance);
/* Whether sizes fit 32-bit indices, and activation and bias type are supported. */
bool stk_cuda_conv_can(const stk_graph_op *op, const stk_op_instance *instance);
/* All arguments but partials. */
stk_cuda_conv_args stk_cuda_conv_args_of(const stk_graph_op *op, const stk_kernel_call *call);

/* Applies in place the part of the activation that args do not cover. */
stk_status stk_cuda_conv_activate(const stk_kernel_call *call, stk_error *err);

/* formats function: weights KRSC; x plain, or padded if it arrives so. */
stk_status stk_cuda_conv_formats(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err);
stk_status stk_cuda_conv_input_formats(stk_device *device, const stk_op_instance *instance,
                                       const stk_format *have, stk_format *in, stk_format *out,
                                       stk_error *err);
stk_status stk_cuda_conv_weight_formats(stk_device *device, const stk_op_instance *instance,
                                        const stk_format *have, stk_format *in, stk_format *out,
                                        stk_error *err);

/* wgrad: scratch for partials, and their reduction. */
stk_status  stk_cuda_conv_scratch(const stk_kernel_call *call, int partials, size_t *scratch,
                                  stk_error *err);
cudaError_t stk_cuda_conv_sum(const stk_cuda_conv_args *args, cudaStream_t stream);

/* Reduces partials in scratch: to mean and variance per channel (layout: depthwise.h); to
 * weights. */
stk_status stk_cuda_conv_statistics(const stk_kernel_call *call, int channels, int partials,
                                    stk_error *err);
stk_status stk_cuda_conv_sum_weights(const stk_kernel_call *call, int64_t weights, int partials,
                                     stk_error *err);

/* wgrad: dbias as the sum of dy over all dimensions but channels; all arguments but partials. */
stk_cuda_reduce_args stk_cuda_conv_bias_sum(const stk_kernel_call *call);

#endif
