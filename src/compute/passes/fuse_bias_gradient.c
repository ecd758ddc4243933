/* Fuses the gradient of a convolution's bias, a sum over dy, into wgrad as its second output, since
 * wgrad reads dy anyway. */
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include "compute/passes/graph_fuse.h"
#include <stoker/ops.h>

enum { NONE = UINT32_MAX };

static bool is_bias_sum(const stk_graph *g, const stk_graph_node *node)
{
    if (node->op != &stk_graph_op_reduce_sum) return false;
    const stk_reduce_attrs *attrs = node->attrs;
    return stk_symbol_shape(g, node->in[0]).rank == 4 && attrs->axes == 7u;
}

typedef struct pair {
    uint32_t weight, sum;
} pair;

/* The first sum over dy and the first wgrad of dy. */
static pair find_pair(const stk_fuser *f, stk_symbol dy)
{
    pair found = {NONE, NONE};
    for (uint32_t i = f->first[dy.id]; i < f->first[dy.id + 1]; i++) {
        const stk_graph_node *node = &f->from->nodes[f->readers[i]];
        if (node->op == &stk_graph_op_conv2d_grad_weight && node->in[1].id == dy.id &&
            node->output_count == 1 && found.weight == NONE)
            found.weight = f->readers[i];
        if (is_bias_sum(f->from, node) && found.sum == NONE) found.sum = f->readers[i];
    }
    return found;
}

static bool is_before(const stk_fuser *f, stk_symbol symbol, uint32_t index)
{
    const stk_graph_symbol *s = stk_graph_symbol_of(f->from, symbol);
    return s->role != STK_SYMBOL_RESULT || s->node < index;
}

/* Built at the first of the two. */
static void build_both(stk_fuser *f, const stk_graph_node *weight, const stk_graph_node *sum)
{
    stk_symbol in[] = {stk_fuse_symbol(f, weight->in[0]), stk_fuse_symbol(f, weight->in[1])},
               out[2];
    stk_rewrite_at(&f->rewrite, weight);
    stk_graph_add(f->rewrite.to, weight->op, in, 2, weight->attrs, out, 2);
    stk_rewrite_replace(&f->rewrite, weight->out[0], out[0]);
    stk_rewrite_replace(&f->rewrite, sum->out[0],
                        stk_reshape(f->rewrite.to, out[1], stk_symbol_shape(f->from, sum->out[0])));
}

static stk_fuse_result fuse(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    bool                  is_weight = node->op == &stk_graph_op_conv2d_grad_weight;
    if (!is_weight && !is_bias_sum(f->from, node)) return STK_FUSE_NO;
    pair found = find_pair(f, node->in[is_weight ? 1 : 0]);
    if (found.weight == NONE || found.sum == NONE) return STK_FUSE_NO;
    if (index != found.weight && index != found.sum) return STK_FUSE_NO;
    uint32_t first = found.weight < found.sum ? found.weight : found.sum;
    if (!is_before(f, f->from->nodes[found.weight].in[0], first)) return STK_FUSE_NO;
    if (index != first) return STK_FUSE_DONE_UNCOUNTED;
    build_both(f, &f->from->nodes[found.weight], &f->from->nodes[found.sum]);
    return STK_FUSE_DONE;
}

const stk_fuse_pattern stk_fuse_bias_gradient = {"gradients of weight + bias", fuse, 0};
