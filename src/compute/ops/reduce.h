/* Shared by reduce_sum and reduce_mean. */
#ifndef STK_COMPUTE_OPS_REDUCE_H
#define STK_COMPUTE_OPS_REDUCE_H

#include "compute/graph/graph_node.h"
#include "compute/ops/shapes.h"

stk_status stk_reduce_infer(const stk_graph_op *op, const stk_op_instance *instance,
                            stk_tensor_type *out, stk_error *err);
void stk_reduce_reference(const stk_op_instance *instance, const void *const *in, void *const *out,
                          bool mean);
void stk_reduce_print(const void *attrs, char *text, size_t capacity);
/* Input elements per result. */
int64_t    stk_reduce_count(const stk_op_instance *instance);
stk_symbol stk_reduce(stk_graph *g, const stk_graph_op *op, stk_symbol x, unsigned axes, bool keep);
/* Broadcasts dy to the shape of the input. */
stk_symbol stk_reduce_spread(stk_graph *g, const stk_graph_node *node, stk_symbol dy);

#endif
