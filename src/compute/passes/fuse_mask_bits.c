/* Batch norm's gradient needs only the mask of y: one bit per element, a sixteenth of y. bn_apply
 * writes the bits with y; the next round makes the gradients read them. */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/passes/graph_fuse.h"
#include "compute/passes/passes.h"

enum { INPUTS_MAX = 9 };

static bool is_gradient(const stk_graph_node *node)
{
    return node->op == &stk_graph_op_bn_grad_sums || node->op == &stk_graph_op_bn_grad_apply;
}

/* Whether node masks dy by y, which is then its last input. */
static bool masks_by(const stk_graph_node *node, stk_symbol y)
{
    return is_gradient(node) &&
           ((const stk_bn_grad_attrs *)node->attrs)->mask == STK_BN_MASK_OUTPUT &&
           node->in[node->input_count - 1].id == y.id;
}

static stk_fuse_result add_bits(stk_fuser *f, const stk_graph_node *node)
{
    const stk_bn_apply_attrs *attrs = node->attrs;
    stk_symbol                y = node->out[0], in[INPUTS_MAX], out[2];
    bool                      has_reader = false;
    for (uint32_t i = f->first[y.id]; i < f->first[y.id + 1]; i++)
        has_reader = has_reader || masks_by(&f->from->nodes[f->readers[i]], y);
    if (!has_reader || node->output_count > 1 || !stk_bn_has_bits(&attrs->act)) return STK_FUSE_NO;
    for (int i = 0; i < node->input_count; i++)
        in[i] = stk_fuse_symbol(f, node->in[i]);
    stk_rewrite_at(&f->rewrite, node);
    stk_graph_add(f->rewrite.to, node->op, in, node->input_count, attrs, out, 2);
    stk_rewrite_replace(&f->rewrite, y, out[0]);
    return STK_FUSE_DONE;
}

static stk_fuse_result read_bits(stk_fuser *f, const stk_graph_node *node)
{
    int                   last = node->input_count - 1;
    const stk_graph_node *norm = stk_fuse_producer(f, node->in[last]);
    stk_symbol            in[INPUTS_MAX];
    if (!masks_by(node, node->in[last]) || !norm) return STK_FUSE_NO;
    if (norm->op != &stk_graph_op_bn_apply || norm->output_count < 2) return STK_FUSE_NO;
    if (norm->out[0].id != node->in[last].id) return STK_FUSE_NO;
    for (int i = 0; i < last; i++)
        in[i] = node->in[i];
    in[last] = norm->out[1];
    stk_bn_grad_attrs attrs = *(const stk_bn_grad_attrs *)node->attrs;
    attrs.mask = STK_BN_MASK_BITS;
    stk_fuse_replace(f, node, node, in, node->input_count, &attrs);
    return STK_FUSE_DONE_UNCOUNTED;
}

static stk_fuse_result fuse(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    if (node->op == &stk_graph_op_bn_apply) return add_bits(f, node);
    return is_gradient(node) ? read_bits(f, node) : STK_FUSE_NO;
}

const stk_fuse_pattern stk_fuse_mask_bits = {"masks of norms as bits", fuse, STK_FUSION_MASK_BITS};
