/* Functions of graph.c that only graph_node.c uses. */
#ifndef STK_COMPUTE_GRAPH_GRAPH_TABLE_H
#define STK_COMPUTE_GRAPH_GRAPH_TABLE_H

#include "compute/graph/graph_node.h"

stk_symbol stk_graph_result_symbol(stk_graph *graph, const stk_tensor_type *type, const char *name,
                                   uint32_t node, int output);
stk_status stk_graph_grow_nodes(stk_graph *graph, stk_error *err);

#endif
