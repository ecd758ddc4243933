/* FLOPs and bytes of one op instance. */
#ifndef STK_COMPUTE_GRAPH_COST_H
#define STK_COMPUTE_GRAPH_COST_H

#include "compute/graph/graph_node.h"

stk_op_cost stk_op_count(const stk_graph_op *op, const stk_op_instance *instance);

#endif
