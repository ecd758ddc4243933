/* bias: x + bias[C], over the last dimension */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_bias;
    const stk_shape    *x = &instance->in[0].shape;
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    STK_TRY(stk_op_check_float(op, instance, 1, err));
    if (x->rank < 1)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name, "a scalar has no channels");
    if (instance->in[1].dtype != instance->in[0].dtype && instance->in[1].dtype != STK_DTYPE_F32)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                        "x is %s and the bias %s; it must be the same or float32",
                        stk_dtype_name(instance->in[0].dtype),
                        stk_dtype_name(instance->in[1].dtype));
    stk_shape channels = stk_shape_1d(x->dim[x->rank - 1]);
    out[0] = instance->in[0];
    return stk_op_check_shape(op, instance, 1, &channels, "the channels of x", err);
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    int rank = stk_symbol_shape(g, node->in[0]).rank;
    (void)sink;
    din[0] = dout[0];
    stk_symbol sum = rank > 1 ? stk_reduce_sum(g, dout[0], (1u << (rank - 1)) - 1, false) : dout[0];
    din[1] = stk_cast(g, sum, stk_symbol_dtype(g, node->in[1]));
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *x = in[0], *bias = in[1];
    float       *y = out[0];
    int64_t channels = instance->in[1].shape.dim[0], count = stk_type_elements(&instance->in[0]);
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] + bias[i % channels];
}

const stk_graph_op stk_graph_op_bias = {
    .name = "bias",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .inplace = {1},
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_vector,
    .infer = infer,
    .grad = grad,
    .reference = reference,
};

stk_symbol stk_bias(stk_graph *g, stk_symbol x, stk_symbol bias)
{
    return stk_from_nhwc(g, stk_graph_add2(g, &stk_graph_op_bias, stk_to_nhwc(g, x), bias, NULL));
}
