/* reduce_mean: means over dimensions */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/reduce.h"
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_reduce_infer(&stk_graph_op_reduce_mean, instance, out, err);
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    stk_shape       x = stk_symbol_shape(g, node->in[0]), y = stk_symbol_shape(g, node->out[0]);
    stk_tensor_type all = {STK_DTYPE_F32, x}, results = {STK_DTYPE_F32, y};
    double          count = (double)stk_type_elements(&all) / (double)stk_type_elements(&results);
    din[0] = stk_reduce_spread(g, node, stk_scale(g, dout[0], 1 / count, 0));
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_reduce_reference(instance, in, out, true);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return (stk_op_cost){
        (double)stk_type_elements(&instance->in[0]),
        (double)(stk_type_bytes(&instance->in[0]) + stk_type_bytes(&instance->out[0]))};
}

const stk_graph_op stk_graph_op_reduce_mean = {
    .name = "reduce_mean",
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

stk_symbol stk_reduce_mean(stk_graph *g, stk_symbol x, unsigned axes, bool keep)
{
    return stk_reduce(g, &stk_graph_op_reduce_mean, x, axes, keep);
}
