/* Nodes of a graph by what they compute: the same op of the same inputs with the same attributes.
 */
#ifndef STK_COMPUTE_PASSES_CSE_H
#define STK_COMPUTE_PASSES_CSE_H

#include "compute/graph/graph_node.h"

typedef struct stk_same {
    uint32_t *slots; /* node + 1; 0: free */
    uint32_t  room;  /* a power of two */
    uint32_t  count;
} stk_same;

/* Room for nodes of them without growing. */
STK_NODISCARD stk_status stk_same_init(stk_same *same, uint32_t nodes, stk_error *err);
void                     stk_same_release(stk_same *same);

/* The node of graph that computes what node does, or NULL; ops with an effect have no equal. */
const stk_graph_node *stk_same_find(const stk_same *same, const stk_graph *graph,
                                    const stk_graph_node *node);
/* Remembers node index of graph; beyond the room it is forgotten. */
void stk_same_add(stk_same *same, const stk_graph *graph, uint32_t index);

#endif
