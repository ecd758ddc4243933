/* Fuses a residual, optionally normalized itself, and an activation into bn_apply. */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/passes/graph_fuse.h"

enum { X, SCALE, SHIFT, PLAIN_INPUTS, DUAL_INPUTS = 6 };

/* A bn_apply with a single reader that only scales and shifts. */
static const stk_graph_node *plain_norm(const stk_fuser *f, stk_symbol symbol)
{
    const stk_graph_node *norm = stk_fuse_only_use(f, symbol, &stk_graph_op_bn_apply);
    if (!norm || norm->input_count != PLAIN_INPUTS) return NULL;
    return ((const stk_bn_apply_attrs *)norm->attrs)->act.row ? NULL : norm;
}

/* Of two norms the second becomes the residual. */
static stk_fuse_result fuse_residual(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    if (node->op != &stk_graph_op_add) return STK_FUSE_NO;
    stk_shape             a = stk_symbol_shape(f->from, node->in[0]);
    stk_shape             b = stk_symbol_shape(f->from, node->in[1]);
    const stk_graph_node *first = plain_norm(f, node->in[0]), *second = plain_norm(f, node->in[1]);
    stk_symbol            residual = node->in[1], in[DUAL_INPUTS];
    if (!stk_shape_equal(&a, &b) || (!first && !second)) return STK_FUSE_NO;
    if (!first) first = second, second = NULL, residual = node->in[0];
    for (int i = 0; i < PLAIN_INPUTS; i++) {
        in[i] = first->in[i];
        in[PLAIN_INPUTS + i] = second ? second->in[i] : residual;
    }
    stk_fuse_replace(f, node, first, in, second ? DUAL_INPUTS : PLAIN_INPUTS + 1, first->attrs);
    return STK_FUSE_DONE;
}

const stk_fuse_pattern stk_fuse_norm_residual = {"norm + residual", fuse_residual, 0};

/* An activation whose gradient reads its input gives bn_apply a second reader. fuse_norm_gradient.c
 * removes it by recomputing the input in batch norm's gradient. */
static stk_fuse_result fuse_activation(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    if (!stk_activation_grad_op(node->op)) return STK_FUSE_NO;
    const stk_graph_node *norm = stk_fuse_only_use(f, node->in[0], &stk_graph_op_bn_apply);
    if (!norm || ((const stk_bn_apply_attrs *)norm->attrs)->act.row) return STK_FUSE_NO;
    stk_bn_apply_attrs attrs = {.act = *(const stk_activation *)node->attrs};
    stk_fuse_replace(f, node, norm, norm->in, norm->input_count, &attrs);
    return STK_FUSE_DONE;
}

const stk_fuse_pattern stk_fuse_norm_activation = {"norm + activation", fuse_activation, 0};
