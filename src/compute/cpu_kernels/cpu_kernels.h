/* Own kernels of the CPU backend: gradients of depthwise convolutions, and all that is not a
 * convolution or a matrix product. Each is in the file of its op's name, or of what it shares with
 * others. */
#ifndef STK_COMPUTE_CPU_KERNELS_CPU_KERNELS_H
#define STK_COMPUTE_CPU_KERNELS_CPU_KERNELS_H

#include "compute/cpu/cpu.h"

extern const stk_kernel stk_own_add, stk_own_sub, stk_own_mul, stk_own_bias, stk_own_scale,
    stk_own_relu, stk_own_relu_grad, stk_own_clip, stk_own_clip_grad, stk_own_leaky_relu,
    stk_own_leaky_relu_grad, stk_own_gelu, stk_own_gelu_grad, stk_own_silu, stk_own_silu_grad,
    stk_own_sigmoid, stk_own_sigmoid_grad, stk_own_tanh, stk_own_tanh_grad, stk_own_hardswish,
    stk_own_hardswish_grad, stk_own_hardsigmoid, stk_own_hardsigmoid_grad, stk_own_bn_stats,
    stk_own_bn_apply, stk_own_bn_grad_sums, stk_own_bn_grad_apply, stk_own_reduce_sum,
    stk_own_reduce_mean, stk_own_broadcast, stk_own_max_pool, stk_own_max_pool_grad,
    stk_own_average_pool, stk_own_average_pool_grad, stk_own_softmax, stk_own_softmax_grad,
    stk_own_softmax_cross_entropy, stk_own_softmax_cross_entropy_grad,
    stk_own_weighted_cross_entropy, stk_own_weighted_cross_entropy_grad, stk_own_layer_norm,
    stk_own_layer_norm_grad, stk_own_gradient_norm, stk_own_sgd, stk_own_lars, stk_own_adamw,
    stk_own_lamb, stk_own_ema, stk_own_lookahead, stk_own_accumulate, stk_own_transpose,
    stk_own_slice, stk_own_concat, stk_own_pad, stk_own_normalize_image, stk_own_embedding,
    stk_own_embedding_grad, stk_own_dropout, stk_own_cast, stk_own_top_k_correct, stk_own_upsample,
    stk_own_upsample_grad, stk_own_depthwise_grad_input, stk_own_depthwise_grad_weight,
    stk_own_edit_pictures, stk_own_mix_pictures;

#endif
