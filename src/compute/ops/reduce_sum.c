/* reduce_sum: sums over dimensions */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/reduce.h"
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_reduce_infer(&stk_graph_op_reduce_sum, instance, out, err);
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[0] = stk_reduce_spread(g, node, dout[0]);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_reduce_reference(instance, in, out, false);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return (stk_op_cost){
        (double)stk_type_elements(&instance->in[0]),
        (double)(stk_type_bytes(&instance->in[0]) + stk_type_bytes(&instance->out[0]))};
}

const stk_graph_op stk_graph_op_reduce_sum = {
    .name = "reduce_sum",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_reduce_attrs),
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = stk_reduce_print,
};

stk_symbol stk_reduce_sum(stk_graph *g, stk_symbol x, unsigned axes, bool keep)
{
    return stk_reduce(g, &stk_graph_op_reduce_sum, x, axes, keep);
}
