/* All ops. Each is defined in a file of its name, with its gradients. */
#ifndef STK_COMPUTE_OPS_GRAPH_OPS_H
#define STK_COMPUTE_OPS_GRAPH_OPS_H

#include "compute/graph/graph_node.h"

extern const stk_graph_op stk_graph_op_add, stk_graph_op_sub, stk_graph_op_mul, stk_graph_op_scale,
    stk_graph_op_fill, stk_graph_op_cast, stk_graph_op_bias;
extern const stk_graph_op stk_graph_op_relu, stk_graph_op_relu_grad, stk_graph_op_clip,
    stk_graph_op_clip_grad, stk_graph_op_leaky_relu, stk_graph_op_leaky_relu_grad,
    stk_graph_op_gelu, stk_graph_op_gelu_grad, stk_graph_op_silu, stk_graph_op_silu_grad,
    stk_graph_op_sigmoid, stk_graph_op_sigmoid_grad, stk_graph_op_tanh, stk_graph_op_tanh_grad,
    stk_graph_op_hardswish, stk_graph_op_hardswish_grad, stk_graph_op_hardsigmoid,
    stk_graph_op_hardsigmoid_grad;
extern const stk_graph_op stk_graph_op_matmul, stk_graph_op_conv2d, stk_graph_op_conv2d_grad_input,
    stk_graph_op_conv2d_grad_norm, stk_graph_op_conv2d_grad_weight;
extern const stk_graph_op stk_graph_op_max_pool, stk_graph_op_max_pool_grad,
    stk_graph_op_average_pool, stk_graph_op_average_pool_grad, stk_graph_op_upsample,
    stk_graph_op_upsample_grad;
extern const stk_graph_op stk_graph_op_bn_stats, stk_graph_op_bn_finalize,
    stk_graph_op_bn_stats_finalize, stk_graph_op_bn_fold, stk_graph_op_bn_apply,
    stk_graph_op_bn_grad_sums, stk_graph_op_bn_grad_apply, stk_graph_op_bn_pool,
    stk_graph_op_bn_pool_grad_sums, stk_graph_op_bn_pool_grad_apply, stk_graph_op_layer_norm,
    stk_graph_op_layer_norm_grad;
extern const stk_graph_op stk_graph_op_reshape, stk_graph_op_transpose, stk_graph_op_concat,
    stk_graph_op_slice, stk_graph_op_pad, stk_graph_op_broadcast, stk_graph_op_reduce_sum,
    stk_graph_op_reduce_mean;
extern const stk_graph_op stk_graph_op_softmax, stk_graph_op_softmax_grad,
    stk_graph_op_softmax_cross_entropy, stk_graph_op_softmax_cross_entropy_grad,
    stk_graph_op_weighted_cross_entropy, stk_graph_op_weighted_cross_entropy_grad,
    stk_graph_op_mean_squared_error, stk_graph_op_mean_squared_error_grad;
extern const stk_graph_op stk_graph_op_top_k_correct, stk_graph_op_count_labels,
    stk_graph_op_dropout, stk_graph_op_embedding, stk_graph_op_embedding_grad,
    stk_graph_op_normalize_image, stk_graph_op_edit_images, stk_graph_op_mix_images;
extern const stk_graph_op stk_graph_op_gradient_norm, stk_graph_op_loss_scale,
    stk_graph_op_grad_guard, stk_graph_op_sgd, stk_graph_op_adamw, stk_graph_op_lars,
    stk_graph_op_lamb, stk_graph_op_ema, stk_graph_op_lookahead, stk_graph_op_accumulate;

/* NULL past the end or for an unknown name. */
const stk_graph_op *stk_graph_op_at(size_t index);
const stk_graph_op *stk_graph_op_find(const char *name);

/* Converts image x between the graph's layout and [N,H,W,C]. */
stk_symbol stk_to_nhwc(stk_graph *g, stk_symbol x);
stk_symbol stk_from_nhwc(stk_graph *g, stk_symbol x);

#endif
