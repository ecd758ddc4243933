/* Functions for gradient rules beyond the gradients of their own inputs. */
#ifndef STK_COMPUTE_GRAPH_GRADIENTS_H
#define STK_COMPUTE_GRAPH_GRADIENTS_H

#include "compute/graph/graph_node.h"

typedef struct stk_grad_sink stk_grad_sink;

/* Accumulates gradient for symbol, which must be a leaf or come from an earlier node. For ops that
 * are one function in pieces, like batch norm. */
void stk_sink_add(stk_grad_sink *sink, stk_symbol symbol, stk_symbol gradient);

/* Copies the node that produces symbol, since adding nodes moves the table. False for leaves. */
bool stk_graph_producer(const stk_graph *graph, stk_symbol symbol, stk_graph_node *node);

#endif
