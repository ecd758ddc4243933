/* mul: a * b */
#include "compute/ops/binary.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_binary_infer(&stk_graph_op_mul, instance, out, err);
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[0] = stk_binary_gradient_for(g, stk_mul(g, dout[0], node->in[1]), node->in[0]);
    din[1] = stk_binary_gradient_for(g, stk_mul(g, dout[0], node->in[0]), node->in[1]);
}

static float combine(float a, float b)
{
    return a * b;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_binary_reference(instance, in, out, combine);
}

const stk_graph_op stk_graph_op_mul = {
    .name = "mul",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .traits = STK_OP_ELEMENTWISE | STK_OP_ZERO_STAYS,
    .inplace = {1},
    .precision = STK_PRECISION_INFER,
    .infer = infer,
    .grad = grad,
    .reference = reference,
};

stk_symbol stk_mul(stk_graph *g, stk_symbol a, stk_symbol b)
{
    return stk_graph_add2(g, &stk_graph_op_mul, a, b, NULL);
}
