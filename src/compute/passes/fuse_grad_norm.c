/* Between blocks of a residual network a gradient is a sum, passes an activation's gradient and is
 * reduced by batch norm's gradient. If a tall GEMM computes the sum, its epilogue masks and reduces
 * it, which saves a pass over memory. The masked sum is also the gradient of the residual.
 *
 *   dy = conv2d_grad_input(d, w, addend)             dz, sums = conv2d_grad_norm(d, w, addend,
 * bits, sums = bn_grad_sums(dy, x, .. bits)         ->                               x, ..) dx, dz
 * = bn_grad_apply(dy, x, .. sums, bits)     dx = bn_grad_apply(dz, x, .. sums) */
#include "compute/ops/batch_norm.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/passes/graph_fuse.h"
#include "compute/passes/passes.h"

enum { DY, X, MEAN, INVSTD, APPLY_INPUTS = 7 /* without a mask */ };

static bool is_sums(const stk_graph_node *node)
{
    return node->op == &stk_graph_op_bn_grad_sums;
}

/* Whether node masks dy by bits, its last input. */
static bool is_masked(const stk_graph_node *node, stk_symbol dy)
{
    if (!is_sums(node) && node->op != &stk_graph_op_bn_grad_apply) return false;
    return ((const stk_bn_grad_attrs *)node->attrs)->mask == STK_BN_MASK_BITS &&
           node->in[DY].id == dy.id && node->in[X].id != dy.id;
}

static bool is_tall(const stk_fuser *f, const stk_graph_node *gemm)
{
    stk_shape w = stk_symbol_shape(f->from, gemm->in[1]);
    return stk_fuse_is_tall_gemm(f, gemm, w.dim[1], w.dim[0]);
}

/* The first bn_grad_sums of the GEMM's result if all readers of the result use the same bits; else
 * NULL. */
static const stk_graph_node *find_sums(const stk_fuser *f, const stk_graph_node *gemm)
{
    const stk_graph_node *sums = NULL;
    if (!gemm || gemm->op != &stk_graph_op_conv2d_grad_input || gemm->input_count != 3) return NULL;
    stk_symbol dy = gemm->out[0], bits = STK_NO_SYMBOL;
    uint32_t   first = f->first[dy.id], end = f->first[dy.id + 1];
    if (!is_tall(f, gemm) || f->uses[dy.id] != end - first) return NULL;
    for (uint32_t i = first; i < end; i++) {
        const stk_graph_node *reader = &f->from->nodes[f->readers[i]];
        if (!is_masked(reader, dy)) return NULL;
        stk_symbol last = reader->in[reader->input_count - 1];
        if (bits.id && bits.id != last.id) return NULL;
        bits = last;
        if (!sums && is_sums(reader)) sums = reader;
    }
    return sums;
}

static stk_fuse_result fuse_gemm(stk_fuser *f, const stk_graph_node *node)
{
    const stk_graph_node *sums = find_sums(f, node);
    if (!sums) return STK_FUSE_NO;
    const stk_symbol old[STK_GRAD_NORM_INPUTS] = {
        [STK_GRAD_NORM_DY] = node->in[0],
        [STK_GRAD_NORM_W] = node->in[1],
        [STK_GRAD_NORM_ADDEND] = node->in[2],
        [STK_GRAD_NORM_BITS] = sums->in[sums->input_count - 1],
        [STK_GRAD_NORM_X] = sums->in[X],
        [STK_GRAD_NORM_MEAN] = sums->in[MEAN],
        [STK_GRAD_NORM_INVSTD] = sums->in[INVSTD]};
    stk_symbol in[STK_GRAD_NORM_INPUTS], out[3];
    for (int i = 0; i < STK_GRAD_NORM_INPUTS; i++)
        in[i] = stk_fuse_symbol(f, old[i]);
    stk_rewrite_at(&f->rewrite, node);
    stk_graph_add(f->rewrite.to, &stk_graph_op_conv2d_grad_norm, in, STK_GRAD_NORM_INPUTS,
                  node->attrs, out, 3);
    stk_rewrite_replace(&f->rewrite, node->out[0], out[0]);
    stk_rewrite_replace(&f->rewrite, sums->out[0], out[1]);
    stk_rewrite_replace(&f->rewrite, sums->out[1], out[2]);
    return STK_FUSE_DONE;
}

/* Its input is masked already, so that is also its dz. */
static stk_fuse_result fuse_reader(stk_fuser *f, const stk_graph_node *node)
{
    const stk_graph_node *sums = find_sums(f, stk_fuse_producer(f, node->in[DY]));
    if (!sums) return STK_FUSE_NO;
    if (node == sums) return STK_FUSE_DONE_UNCOUNTED;
    const stk_bn_grad_attrs attrs = {.mask = STK_BN_MASK_NONE};
    stk_symbol              in[APPLY_INPUTS], out[2];
    const bool              other_sums = is_sums(node);
    const int               inputs = other_sums ? INVSTD + 1 : APPLY_INPUTS;
    for (int i = 0; i < inputs; i++)
        in[i] = stk_fuse_symbol(f, node->in[i]);
    stk_rewrite_at(&f->rewrite, node);
    stk_graph_add(f->rewrite.to, node->op, in, inputs, &attrs, out, other_sums ? 2 : 1);
    stk_rewrite_replace(&f->rewrite, node->out[0], out[0]);
    if (node->output_count > 1)
        stk_rewrite_replace(&f->rewrite, node->out[1], other_sums ? out[1] : in[DY]);
    return STK_FUSE_DONE_UNCOUNTED;
}

static stk_fuse_result fuse(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    if (node->op == &stk_graph_op_conv2d_grad_input) return fuse_gemm(f, node);
    if (is_sums(node) || node->op == &stk_graph_op_bn_grad_apply) return fuse_reader(f, node);
    return STK_FUSE_NO;
}

const stk_fuse_pattern stk_fuse_grad_norm = {"sums of gradients of norms", fuse,
                                             STK_FUSION_GRAD_NORM};
