/* The ops there are, one line each. */
#include "ops/ops.h"
#include <string.h>

static const stk_graph_op *const ops[] = {
    &stk_graph_op_add,
    &stk_graph_op_scale,
    &stk_graph_op_relu,
    &stk_graph_op_relu_grad,
    &stk_graph_op_clip,
    &stk_graph_op_clip_grad,
    &stk_graph_op_leaky_relu,
    &stk_graph_op_leaky_relu_grad,
    &stk_graph_op_gelu,
    &stk_graph_op_gelu_grad,
    &stk_graph_op_silu,
    &stk_graph_op_silu_grad,
    &stk_graph_op_sigmoid,
    &stk_graph_op_sigmoid_grad,
    &stk_graph_op_tanh,
    &stk_graph_op_tanh_grad,
    &stk_graph_op_hardswish,
    &stk_graph_op_hardswish_grad,
    &stk_graph_op_hardsigmoid,
    &stk_graph_op_hardsigmoid_grad,
    &stk_graph_op_matmul,
    &stk_graph_op_reshape,
    &stk_graph_op_reduce_sum,
    &stk_graph_op_reduce_mean,
    &stk_graph_op_fill,
    &stk_graph_op_broadcast,
    &stk_graph_op_transpose,
    &stk_graph_op_conv2d,
    &stk_graph_op_conv2d_grad_input,
    &stk_graph_op_conv2d_grad_weight,
    &stk_graph_op_max_pool,
    &stk_graph_op_max_pool_grad,
    &stk_graph_op_average_pool,
    &stk_graph_op_average_pool_grad,
    &stk_graph_op_upsample,
    &stk_graph_op_upsample_grad,
    &stk_graph_op_normalize_image,
    &stk_graph_op_edit_pictures,
    &stk_graph_op_mix_pictures,
    &stk_graph_op_embedding,
    &stk_graph_op_embedding_grad,
    &stk_graph_op_dropout,
    &stk_graph_op_sub,
    &stk_graph_op_mul,
    &stk_graph_op_bn_stats,
    &stk_graph_op_bn_finalize,
    &stk_graph_op_bn_stats_finalize,
    &stk_graph_op_bn_fold,
    &stk_graph_op_bn_apply,
    &stk_graph_op_bn_grad_sums,
    &stk_graph_op_bn_grad_apply,
    &stk_graph_op_gradient_norm,
    &stk_graph_op_loss_scale,
    &stk_graph_op_grad_guard,
    &stk_graph_op_sgd,
    &stk_graph_op_adamw,
    &stk_graph_op_lars,
    &stk_graph_op_lamb,
    &stk_graph_op_ema,
    &stk_graph_op_lookahead,
    &stk_graph_op_accumulate,
    &stk_graph_op_layer_norm,
    &stk_graph_op_layer_norm_grad,
    &stk_graph_op_cast,
    &stk_graph_op_bias,
    &stk_graph_op_concat,
    &stk_graph_op_slice,
    &stk_graph_op_pad,
    &stk_graph_op_softmax,
    &stk_graph_op_softmax_grad,
    &stk_graph_op_softmax_cross_entropy,
    &stk_graph_op_softmax_cross_entropy_grad,
    &stk_graph_op_mean_squared_error,
    &stk_graph_op_mean_squared_error_grad,
    &stk_graph_op_top_k_correct,
    &stk_graph_op_count_labels,
};

const stk_graph_op *stk_graph_op_at(size_t index)
{
    return index < sizeof ops / sizeof *ops ? ops[index] : NULL;
}

const stk_graph_op *stk_graph_op_find(const char *name)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i]->name, name) == 0) return ops[i];
    return NULL;
}
