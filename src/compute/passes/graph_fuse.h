/* Patterns of the fusing pass, one a file. A pattern looks at the graph as it was at the start of a
 * round and builds in the new one; what it made needless is dropped at the end of the round. */
#ifndef STK_COMPUTE_PASSES_GRAPH_FUSE_H
#define STK_COMPUTE_PASSES_GRAPH_FUSE_H

#include "compute/graph/rewrite.h"
#include "compute/ops/activation.h"

typedef struct stk_fuser {
    stk_rewrite      rewrite;
    const stk_graph *from;
    uint32_t        *uses;    /* by symbol: nodes, assignments and outputs that read it */
    uint32_t        *first;   /* by symbol, and one more: where its readers begin in readers */
    uint32_t        *readers; /* nodes, in order; one that reads a symbol twice is there twice */
    unsigned         fusions; /* that the backend has kernels for */
} stk_fuser;

typedef enum stk_fuse_result {
    STK_FUSE_NO,             /* the pattern is not here */
    STK_FUSE_DONE,           /* what stands for the node's outputs is built */
    STK_FUSE_DONE_UNCOUNTED, /* the same, by a pattern that is counted at another of its nodes */
} stk_fuse_result;

typedef struct stk_fuse_pattern {
    const char *name;
    stk_fuse_result (*apply)(stk_fuser *f, uint32_t index); /* at node index of from */
    unsigned needs; /* stk_fusion of the backend; 0: for all */
} stk_fuse_pattern;

extern const stk_fuse_pattern stk_fuse_bias, stk_fuse_activation, stk_fuse_bias_gradient,
    stk_fuse_norm_activation, stk_fuse_norm_residual, stk_fuse_norm_gradient, stk_fuse_gradient_sum,
    stk_fuse_mask_bits, stk_fuse_norm_stats, stk_fuse_statistics, stk_fuse_grad_norm,
    stk_fuse_norm_pool;

/* The node that makes symbol when it is of op and nobody else reads it; NULL otherwise. */
const stk_graph_node *stk_fuse_only_use(const stk_fuser *f, stk_symbol symbol,
                                        const stk_graph_op *op);
/* The node that makes symbol; NULL for leaves. */
const stk_graph_node *stk_fuse_producer(const stk_fuser *f, stk_symbol symbol);
/* Whether a convolution, or one of its gradients, is a product of matrices and nothing more; and
 * whether it is one of small matrices with so many rows that reading its result once more would
 * cost about as much as computing it: there a kernel can have both. columns: of its result; depth:
 * what is summed up over. */
bool stk_fuse_is_gemm(const stk_fuser *f, const stk_graph_node *conv);
bool stk_fuse_is_tall_gemm(const stk_fuser *f, const stk_graph_node *conv, int64_t columns,
                           int64_t depth);
/* Whether y comes with statistics, or will in the next round. */
bool stk_fuse_has_statistics(const stk_fuser *f, stk_symbol y);
/* What stands for an old symbol. */
stk_symbol stk_fuse_symbol(const stk_fuser *f, stk_symbol old);
/* Builds the op of like, under its name, from old inputs; its outputs stand for those of node. */
void stk_fuse_replace(stk_fuser *f, const stk_graph_node *node, const stk_graph_node *like,
                      const stk_symbol *old_in, int count, const void *attrs);

#endif
