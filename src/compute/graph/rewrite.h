/* A graph made from another, node by node: what a pass does. Whatever is not needed by an output,
 * an assignment or an op with an effect is left out at the end (stk_rewrite_finish). */
#ifndef STK_COMPUTE_GRAPH_REWRITE_H
#define STK_COMPUTE_GRAPH_REWRITE_H

#include "compute/graph/graph_node.h"

typedef struct stk_rewrite {
    const stk_graph *from;
    stk_graph       *to;
    stk_symbol      *map;      /* by old symbol: what stands for it in the new graph */
    bool             has_ends; /* the pass has made outputs and assignments itself */
} stk_rewrite;

/* The new graph has the inputs, constants and variables of the old one. On failure nothing is held.
 */
STK_NODISCARD stk_status stk_rewrite_begin(stk_rewrite *rewrite, const stk_graph *from,
                                           stk_error *err);
/* What stands for an old symbol. */
stk_symbol stk_rewrite_symbol(const stk_rewrite *rewrite, stk_symbol old);
/* From here on new stands for old. */
void stk_rewrite_replace(stk_rewrite *rewrite, stk_symbol old, stk_symbol new_symbol);
/* What is built in rewrite->to from here on has the path and phase of node. */
void stk_rewrite_at(stk_rewrite *rewrite, const stk_graph_node *node);
/* The same node in the new graph; its outputs stand for the old ones. */
void stk_rewrite_copy(stk_rewrite *rewrite, const stk_graph_node *node);
/* Carries over outputs and assignments unless has_ends, drops dead nodes, verifies, and gives the
 * new graph. The rewrite is released, on failure too. */
STK_NODISCARD stk_status stk_rewrite_finish(stk_rewrite *rewrite, stk_graph **out, stk_error *err);
/* Gives up: frees the new graph. */
void stk_rewrite_release(stk_rewrite *rewrite);

#endif
