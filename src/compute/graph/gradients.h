/* What the gradient rule of an op may do besides giving gradients of its own inputs. */
#ifndef STK_COMPUTE_GRAPH_GRADIENTS_H
#define STK_COMPUTE_GRAPH_GRADIENTS_H

#include "compute/graph/graph_node.h"

typedef struct stk_grad_sink stk_grad_sink;

/* Adds gradient to what has come together for symbol, which a node before this one makes, or a
 * leaf: for ops that are one function together, as the pieces of batch norm. */
void stk_sink_add(stk_grad_sink *sink, stk_symbol symbol, stk_symbol gradient);

/* The node that makes symbol, as a copy (adding nodes moves the table); false for leaves. */
bool stk_graph_producer(const stk_graph *graph, stk_symbol symbol, stk_graph_node *node);

#endif
