/* CSE table: hash of nodes by what they compute (op, inputs, attributes). */
#ifndef STK_COMPUTE_PASSES_CSE_H
#define STK_COMPUTE_PASSES_CSE_H

#include "compute/graph/graph_node.h"

typedef struct stk_cse_table {
    uint32_t *slots;    /* node + 1; 0: free */
    uint32_t  capacity; /* a power of two */
    uint32_t  count;
} stk_cse_table;

/* Holds up to this many nodes; does not grow. */
STK_NODISCARD stk_status stk_cse_table_init(stk_cse_table *table, uint32_t nodes, stk_error *err);
void                     stk_cse_table_release(stk_cse_table *table);

/* A node of graph that computes the same as node, or NULL. Ops with side effects never match. */
const stk_graph_node *stk_cse_table_find(const stk_cse_table *table, const stk_graph *graph,
                                         const stk_graph_node *node);
/* Adds node index of graph. Ignored if the table is full. */
void stk_cse_table_add(stk_cse_table *table, const stk_graph *graph, uint32_t index);

#endif
