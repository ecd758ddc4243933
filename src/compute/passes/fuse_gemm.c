/* Fuses the bias and activation after a convolution or GEMM into its epilogue. */
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/matmul.h"
#include "compute/passes/graph_fuse.h"

static const stk_graph_node *gemm_of(const stk_fuser *f, stk_symbol symbol)
{
    const stk_graph_node *conv = stk_fuse_only_use(f, symbol, &stk_graph_op_conv2d);
    return conv ? conv : stk_fuse_only_use(f, symbol, &stk_graph_op_matmul);
}

typedef union gemm_attrs {
    stk_conv2d_attrs conv;
    stk_matmul_attrs matmul;
} gemm_attrs;

/* Copies the attributes; returns the activation in the copy. */
static stk_activation *copy_attrs(const stk_graph_node *gemm, gemm_attrs *attrs)
{
    if (gemm->op == &stk_graph_op_conv2d) {
        attrs->conv = *(const stk_conv2d_attrs *)gemm->attrs;
        return &attrs->conv.act;
    }
    attrs->matmul = *(const stk_matmul_attrs *)gemm->attrs;
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
    const stk_graph_node *gemm = gemm_of(f, y);
    gemm_attrs            attrs;
    if (!gemm || gemm->input_count != 2 || !is_channels(f, bias, y)) return false;
    if (copy_attrs(gemm, &attrs)->row) return false;
    stk_fuse_replace(f, node, gemm, (stk_symbol[]){gemm->in[0], gemm->in[1], bias}, 3, &attrs);
    return true;
}

static stk_fuse_result fuse_bias(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    if (node->op == &stk_graph_op_bias)
        return fuse_bias_at(f, node, 0) ? STK_FUSE_DONE : STK_FUSE_NO;
    if (node->op != &stk_graph_op_add) return STK_FUSE_NO;
    return fuse_bias_at(f, node, 0) || fuse_bias_at(f, node, 1) ? STK_FUSE_DONE : STK_FUSE_NO;
}

const stk_fuse_pattern stk_fuse_bias = {"gemm + bias", fuse_bias, 0};

/* Only activations whose gradient reads the result; the others need the value before. */
static stk_fuse_result fuse_activation(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    gemm_attrs            attrs;
    if (!stk_activation_grad_op(node->op)) return STK_FUSE_NO;
    const stk_activation *act = node->attrs;
    const stk_graph_node *gemm = gemm_of(f, node->in[0]);
    if (!act->row->from_output || !gemm) return STK_FUSE_NO;
    stk_activation *act_attr = copy_attrs(gemm, &attrs);
    if (act_attr->row) return STK_FUSE_NO;
    *act_attr = *act;
    stk_fuse_replace(f, node, gemm, gemm->in, gemm->input_count, &attrs);
    return STK_FUSE_DONE;
}

const stk_fuse_pattern stk_fuse_activation = {"gemm + activation", fuse_activation, 0};
