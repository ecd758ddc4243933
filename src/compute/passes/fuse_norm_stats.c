/* Fuses bn_stats and bn_finalize. Of the statistics only the mean remains an output, for
 * gradients. */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/passes/graph_fuse.h"
#include "compute/passes/passes.h"

enum { MEAN, VAR, GAMMA, VECTORS = 4, FUSED_INPUTS = 5, FUSED_OUTPUTS = 6 };

/* The bn_stats whose variance is read only by this bn_finalize and whose mean has no earlier
 * reader. */
static const stk_graph_node *find_stats(const stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    const stk_graph_node *stats = stk_fuse_only_use(f, node->in[VAR], &stk_graph_op_bn_stats);
    if (!stats || stats->out[MEAN].id != node->in[MEAN].id ||
        stats->out[VAR].id != node->in[VAR].id)
        return NULL;
    return f->readers[f->first[node->in[MEAN].id]] == index ? stats : NULL;
}

static stk_fuse_result fuse(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    stk_symbol            in[FUSED_INPUTS], out[FUSED_OUTPUTS];
    if (node->op != &stk_graph_op_bn_finalize) return STK_FUSE_NO;
    const stk_graph_node *stats = find_stats(f, index);
    if (!stats || stk_fuse_has_statistics(f, stats->in[0])) return STK_FUSE_NO;
    in[0] = stk_fuse_symbol(f, stats->in[0]);
    for (int i = 0; i < VECTORS; i++)
        in[1 + i] = stk_fuse_symbol(f, node->in[GAMMA + i]);
    stk_rewrite_at(&f->rewrite, node);
    stk_graph_add(f->rewrite.to, &stk_graph_op_bn_stats_finalize, in, FUSED_INPUTS, node->attrs,
                  out, FUSED_OUTPUTS);
    stk_rewrite_replace(&f->rewrite, stats->out[MEAN], out[0]);
    for (int o = 0; o < node->output_count; o++)
        stk_rewrite_replace(&f->rewrite, node->out[o], out[1 + o]);
    return STK_FUSE_DONE;
}

const stk_fuse_pattern stk_fuse_norm_stats = {"statistics of norms in one", fuse,
                                              STK_FUSION_NORM_STATS};
