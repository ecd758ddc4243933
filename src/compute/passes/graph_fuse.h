/* Patterns of the fuse pass, one per file. A pattern matches the graph of the round's start and
 * builds into the new one. Dead nodes are dropped at the end of the round. */
#ifndef STK_COMPUTE_PASSES_GRAPH_FUSE_H
#define STK_COMPUTE_PASSES_GRAPH_FUSE_H

#include "compute/graph/rewrite.h"
#include "compute/ops/activation.h"

typedef struct stk_fuser {
    stk_rewrite      rewrite;
    const stk_graph *from;
    uint32_t        *uses;  /* by symbol: nodes, assignments and outputs that read it */
    uint32_t        *first; /* by symbol, plus one: index of its first reader */
    uint32_t *readers; /* node indices in order; a node that reads a symbol twice appears twice */
    unsigned  fusions; /* supported by the backend's kernels */
} stk_fuser;

typedef enum stk_fuse_result {
    STK_FUSE_NO,             /* no match */
    STK_FUSE_DONE,           /* replacements for the node's outputs are built */
    STK_FUSE_DONE_UNCOUNTED, /* the same, counted at another node of the match */
} stk_fuse_result;

typedef struct stk_fuse_pattern {
    const char *name;
    stk_fuse_result (*apply)(stk_fuser *f, uint32_t index); /* tries node index of from */
    unsigned needs; /* stk_fusion bits that it requires; 0: none */
} stk_fuse_pattern;

extern const stk_fuse_pattern stk_fuse_bias, stk_fuse_activation, stk_fuse_bias_gradient,
    stk_fuse_norm_activation, stk_fuse_norm_residual, stk_fuse_norm_gradient, stk_fuse_gradient_sum,
    stk_fuse_mask_bits, stk_fuse_norm_stats, stk_fuse_statistics, stk_fuse_grad_norm,
    stk_fuse_norm_pool;

/* The producer of symbol if it is of op and has no other reader; else NULL. */
const stk_graph_node *stk_fuse_only_use(const stk_fuser *f, stk_symbol symbol,
                                        const stk_graph_op *op);
/* The producer of symbol; NULL for leaves. */
const stk_graph_node *stk_fuse_producer(const stk_fuser *f, stk_symbol symbol);
/* is_gemm: whether a convolution or a gradient of one is exactly a GEMM. is_tall_gemm: it also has
 * many rows and few columns, so that another pass over its result would cost as much as computing
 * it. columns is the result's width, depth the length of the sums. */
bool stk_fuse_is_gemm(const stk_fuser *f, const stk_graph_node *conv);
bool stk_fuse_is_tall_gemm(const stk_fuser *f, const stk_graph_node *conv, int64_t columns,
                           int64_t depth);
/* Whether y has statistics, or will in the next round. */
bool stk_fuse_has_statistics(const stk_fuser *f, stk_symbol y);
/* The replacement of an old symbol. */
stk_symbol stk_fuse_symbol(const stk_fuser *f, stk_symbol old);
/* Builds the op of like, with its name, from old inputs. Its outputs replace those of node. */
void stk_fuse_replace(stk_fuser *f, const stk_graph_node *node, const stk_graph_node *like,
                      const stk_symbol *old_in, int count, const void *attrs);

#endif
