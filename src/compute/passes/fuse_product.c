/* Convolutions and matrix products take in the bias and the activation that follow them. */
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/matmul.h"
#include "compute/passes/graph_fuse.h"

static const stk_graph_node *product_of(const stk_fuser *f, stk_symbol symbol)
{
    const stk_graph_node *conv = stk_fuse_only_use(f, symbol, &stk_graph_op_conv2d);
    return conv ? conv : stk_fuse_only_use(f, symbol, &stk_graph_op_matmul);
}

typedef union product_attrs {
    stk_conv2d_attrs conv;
    stk_matmul_attrs matmul;
} product_attrs;

/* A copy of the attributes, and where the activation is in it. */
static stk_activation *copy_attrs(const stk_graph_node *product, product_attrs *attrs)
{
    if (product->op == &stk_graph_op_conv2d) {
        attrs->conv = *(const stk_conv2d_attrs *)product->attrs;
        return &attrs->conv.act;
    }
    attrs->matmul = *(const stk_matmul_attrs *)product->attrs;
    return &attrs->matmul.act;
}

static bool is_channels(const stk_fuser *f, stk_symbol bias, stk_symbol y)
{
    stk_shape b = stk_symbol_shape(f->from, bias), s = stk_symbol_shape(f->from, y);
    return b.rank == 1 && s.rank > 1 && b.dim[0] == s.dim[s.rank - 1];
}

static bool fuse_bias_at(stk_fuser *f, const stk_graph_node *node, int which)
{
    stk_symbol            y = node->in[which], bias = node->in[1 - which];
    const stk_graph_node *product = product_of(f, y);
    product_attrs         attrs;
    if (!product || product->input_count != 2 || !is_channels(f, bias, y)) return false;
    if (copy_attrs(product, &attrs)->row) return false;
    stk_fuse_replace(f, node, product, (stk_symbol[]){product->in[0], product->in[1], bias}, 3,
                     &attrs);
    return true;
}

static stk_fuse_answer fuse_bias(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    if (node->op == &stk_graph_op_bias)
        return fuse_bias_at(f, node, 0) ? STK_FUSE_DONE : STK_FUSE_NO;
    if (node->op != &stk_graph_op_add) return STK_FUSE_NO;
    return fuse_bias_at(f, node, 0) || fuse_bias_at(f, node, 1) ? STK_FUSE_DONE : STK_FUSE_NO;
}

const stk_fuse_pattern stk_fuse_bias = {"product + bias", fuse_bias, 0};

/* Only activations whose gradient looks at the result: the others need what is before them. */
static stk_fuse_answer fuse_activation(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    product_attrs         attrs;
    if (!stk_activation_grad_op(node->op)) return STK_FUSE_NO;
    const stk_activation *act = node->attrs;
    const stk_graph_node *product = product_of(f, node->in[0]);
    if (!act->row->from_output || !product) return STK_FUSE_NO;
    stk_activation *own = copy_attrs(product, &attrs);
    if (own->row) return STK_FUSE_NO;
    *own = *act;
    stk_fuse_replace(f, node, product, product->in, product->input_count, &attrs);
    return STK_FUSE_DONE;
}

const stk_fuse_pattern stk_fuse_activation = {"product + activation", fuse_activation, 0};
