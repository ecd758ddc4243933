/* Rewrites a graph node by node into a new one: the frame of a pass. stk_rewrite_finish drops nodes
 * that no output, assignment or side effect needs. */
#ifndef STK_COMPUTE_GRAPH_REWRITE_H
#define STK_COMPUTE_GRAPH_REWRITE_H

#include "compute/graph/graph_node.h"

typedef struct stk_rewrite {
    const stk_graph *from;
    stk_graph       *to;
    stk_symbol      *map;      /* by old symbol: its replacement in the new graph */
    bool             has_ends; /* the pass has built outputs and assignments itself */
} stk_rewrite;

/* Creates the new graph with inputs, constants and variables of the old one. On failure nothing is
 * held. */
STK_NODISCARD stk_status stk_rewrite_begin(stk_rewrite *rewrite, const stk_graph *from,
                                           stk_error *err);
/* The replacement of an old symbol. */
stk_symbol stk_rewrite_symbol(const stk_rewrite *rewrite, stk_symbol old);
/* Replaces old by new_symbol from now on. */
void stk_rewrite_replace(stk_rewrite *rewrite, stk_symbol old, stk_symbol new_symbol);
/* Gives nodes built in rewrite->to from now on the path and phase of node. */
void stk_rewrite_at(stk_rewrite *rewrite, const stk_graph_node *node);
/* Copies a node; its outputs replace the old ones. */
void stk_rewrite_copy(stk_rewrite *rewrite, const stk_graph_node *node);
/* Copies outputs and assignments unless has_ends, drops dead nodes, verifies, and returns the new
 * graph. Releases the rewrite, on failure too. */
STK_NODISCARD stk_status stk_rewrite_finish(stk_rewrite *rewrite, stk_graph **out, stk_error *err);
/* Frees the new graph. */
void stk_rewrite_release(stk_rewrite *rewrite);

#endif
