/* All kernels, each defined in a file named for its op or family. */
#ifndef STK_COMPUTE_CUDA_CUDA_KERNELS_H
#define STK_COMPUTE_CUDA_CUDA_KERNELS_H

#include "compute/runtime/backend.h"

extern const stk_kernel stk_cuda_relu, stk_cuda_relu_grad, stk_cuda_clip, stk_cuda_clip_grad,
    stk_cuda_leaky_relu, stk_cuda_leaky_relu_grad, stk_cuda_gelu, stk_cuda_gelu_grad, stk_cuda_silu,
    stk_cuda_silu_grad, stk_cuda_sigmoid, stk_cuda_sigmoid_grad, stk_cuda_tanh, stk_cuda_tanh_grad,
    stk_cuda_hardswish, stk_cuda_hardswish_grad, stk_cuda_hardsigmoid, stk_cuda_hardsigmoid_grad;
extern const stk_kernel stk_cuda_cast, stk_cuda_scale;
extern const stk_kernel stk_cuda_add, stk_cuda_sub, stk_cuda_mul, stk_cuda_bias;
extern const stk_kernel stk_cuda_reduce_sum, stk_cuda_reduce_mean;
extern const stk_kernel stk_cuda_cublas_matmul, stk_cuda_matmul;
extern const stk_kernel stk_cuda_reshape, stk_cuda_broadcast, stk_cuda_transpose, stk_cuda_slice,
    stk_cuda_concat, stk_cuda_pad, stk_cuda_fill;

extern const stk_kernel stk_cuda_bn_stats, stk_cuda_bn_stats_finalize, stk_cuda_bn_finalize,
    stk_cuda_bn_fold, stk_cuda_bn_apply, stk_cuda_bn_grad_sums, stk_cuda_bn_grad_apply;
extern const stk_kernel stk_cuda_bn_stats_finalize_small, stk_cuda_bn_apply_small,
    stk_cuda_bn_grad_sums_small, stk_cuda_bn_grad_apply_small;
extern const stk_kernel stk_cuda_bn_pool, stk_cuda_bn_pool_grad_sums, stk_cuda_bn_pool_grad_apply;
extern const stk_kernel stk_cuda_layer_norm, stk_cuda_layer_norm_grad;
extern const stk_kernel stk_cuda_max_pool, stk_cuda_max_pool_grad, stk_cuda_average_pool,
    stk_cuda_average_pool_grad, stk_cuda_upsample, stk_cuda_upsample_grad, stk_cuda_normalize_image,
    stk_cuda_edit_images, stk_cuda_mix_images;

extern const stk_kernel stk_cuda_conv_stats, stk_cuda_gemm_sum, stk_cuda_gemm_norm;
extern const stk_kernel stk_cuda_depthwise, stk_cuda_depthwise_input, stk_cuda_depthwise_weight;
extern const stk_kernel stk_cuda_stem, stk_cuda_stem_weight;
extern const stk_kernel stk_cuda_conv3, stk_cuda_conv3_input, stk_cuda_conv3_weight;

extern const stk_kernel stk_cuda_cudnn_conv2d, stk_cuda_cudnn_conv2d_input,
    stk_cuda_cudnn_conv2d_weight;
extern const stk_kernel stk_cuda_direct, stk_cuda_direct_input, stk_cuda_direct_weight;
extern const stk_kernel stk_cuda_softmax, stk_cuda_softmax_grad, stk_cuda_softmax_cross_entropy,
    stk_cuda_softmax_cross_entropy_grad, stk_cuda_weighted_cross_entropy,
    stk_cuda_weighted_cross_entropy_grad, stk_cuda_mean_squared_error,
    stk_cuda_mean_squared_error_grad, stk_cuda_top_k_correct, stk_cuda_count_labels,
    stk_cuda_dropout, stk_cuda_embedding, stk_cuda_embedding_grad;
extern const stk_kernel stk_cuda_sgd, stk_cuda_lars, stk_cuda_adamw, stk_cuda_lamb, stk_cuda_ema,
    stk_cuda_lookahead, stk_cuda_accumulate, stk_cuda_gradient_norm, stk_cuda_grad_guard,
    stk_cuda_loss_scale;

#endif
