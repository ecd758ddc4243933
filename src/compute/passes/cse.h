/* Nodes of a graph by what they compute: the same op of the same inputs with the same attributes.
 */
#ifndef STK_COMPUTE_PASSES_CSE_H
#define STK_COMPUTE_PASSES_CSE_H

#include "compute/graph/graph_node.h"

typedef struct stk_cse_table {
    uint32_t *slots;    /* node + 1; 0: free */
    uint32_t  capacity; /* a power of two */
    uint32_t  count;
} stk_cse_table;

/* Room for nodes of them without growing. */
STK_NODISCARD stk_status stk_cse_table_init(stk_cse_table *table, uint32_t nodes, stk_error *err);
void                     stk_cse_table_release(stk_cse_table *table);

/* The node of graph that computes what node does, or NULL; ops with an effect have no equal. */
const stk_graph_node *stk_cse_table_find(const stk_cse_table *table, const stk_graph *graph,
                                         const stk_graph_node *node);
/* Remembers node index of graph; beyond the room it is forgotten. */
void stk_cse_table_add(stk_cse_table *table, const stk_graph *graph, uint32_t index);

#endif
