/* Shared by add, sub and mul: two tensors of one type, shapes equal or broadcast. */
#ifndef STK_COMPUTE_OPS_BINARY_H
#define STK_COMPUTE_OPS_BINARY_H

#include "compute/graph/gradients.h"

stk_status stk_binary_infer(const stk_graph_op *op, const stk_op_instance *instance,
                            stk_tensor_type *out, stk_error *err);
void stk_binary_reference(const stk_op_instance *instance, const void *const *in, void *const *out,
                          float (*combine)(float a, float b));
/* Sums gradient, which has the result's shape, to the shape of operand. */
stk_symbol stk_binary_gradient_for(stk_graph *g, stk_symbol gradient, stk_symbol operand);

#endif
