/* Native kernels of the CPU backend: all ops but convolutions and GEMMs, and gradients of depthwise
 * convolutions. Each is in a file named for its op or family. */
#ifndef STK_COMPUTE_CPU_KERNELS_CPU_KERNELS_H
#define STK_COMPUTE_CPU_KERNELS_CPU_KERNELS_H

#include "compute/cpu/cpu.h"

extern const stk_kernel stk_cpu_add, stk_cpu_sub, stk_cpu_mul, stk_cpu_bias, stk_cpu_scale,
    stk_cpu_relu, stk_cpu_relu_grad, stk_cpu_clip, stk_cpu_clip_grad, stk_cpu_leaky_relu,
    stk_cpu_leaky_relu_grad, stk_cpu_gelu, stk_cpu_gelu_grad, stk_cpu_silu, stk_cpu_silu_grad,
    stk_cpu_sigmoid, stk_cpu_sigmoid_grad, stk_cpu_tanh, stk_cpu_tanh_grad, stk_cpu_hardswish,
    stk_cpu_hardswish_grad, stk_cpu_hardsigmoid, stk_cpu_hardsigmoid_grad, stk_cpu_bn_stats,
    stk_cpu_bn_apply, stk_cpu_bn_grad_sums, stk_cpu_bn_grad_apply, stk_cpu_reduce_sum,
    stk_cpu_reduce_mean, stk_cpu_broadcast, stk_cpu_max_pool, stk_cpu_max_pool_grad,
    stk_cpu_average_pool, stk_cpu_average_pool_grad, stk_cpu_softmax, stk_cpu_softmax_grad,
    stk_cpu_softmax_cross_entropy, stk_cpu_softmax_cross_entropy_grad,
    stk_cpu_weighted_cross_entropy, stk_cpu_weighted_cross_entropy_grad, stk_cpu_layer_norm,
    stk_cpu_layer_norm_grad, stk_cpu_gradient_norm, stk_cpu_sgd, stk_cpu_lars, stk_cpu_adamw,
    stk_cpu_lamb, stk_cpu_ema, stk_cpu_lookahead, stk_cpu_accumulate, stk_cpu_transpose,
    stk_cpu_slice, stk_cpu_concat, stk_cpu_pad, stk_cpu_normalize_image, stk_cpu_embedding,
    stk_cpu_embedding_grad, stk_cpu_dropout, stk_cpu_cast, stk_cpu_top_k_correct, stk_cpu_upsample,
    stk_cpu_upsample_grad, stk_cpu_depthwise_grad_input, stk_cpu_depthwise_grad_weight,
    stk_cpu_edit_images, stk_cpu_mix_images;

#endif
