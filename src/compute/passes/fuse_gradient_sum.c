/* The gradient of a tensor with two readers is a sum. dgrad adds the other gradient in its
 * epilogue, which saves two passes over memory. Libraries do so without cost if dgrad is a GEMM. */
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/passes/graph_fuse.h"
#include "compute/passes/passes.h"

static const stk_graph_node *gradient(const stk_fuser *f, stk_symbol symbol)
{
    const stk_graph_node *node = stk_fuse_only_use(f, symbol, &stk_graph_op_conv2d_grad_input);
    return node && node->input_count == 2 ? node : NULL;
}

static stk_fuse_result fuse(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    if (node->op != &stk_graph_op_add) return STK_FUSE_NO;
    stk_shape             a = stk_symbol_shape(f->from, node->in[0]);
    stk_shape             b = stk_symbol_shape(f->from, node->in[1]);
    const stk_graph_node *first = gradient(f, node->in[0]), *second = gradient(f, node->in[1]);
    if (!stk_shape_equal(&a, &b)) return STK_FUSE_NO;
    bool                  use_second = second && stk_fuse_is_gemm(f, second);
    const stk_graph_node *gemm = use_second ? second : first;
    if (!gemm || !stk_fuse_is_gemm(f, gemm)) return STK_FUSE_NO;
    stk_symbol in[] = {gemm->in[0], gemm->in[1], node->in[use_second ? 0 : 1]};
    stk_fuse_replace(f, node, gemm, in, 3, gemm->attrs);
    return STK_FUSE_DONE;
}

const stk_fuse_pattern stk_fuse_gradient_sum = {"sums of gradients", fuse, STK_FUSION_GRADIENT_SUM};
