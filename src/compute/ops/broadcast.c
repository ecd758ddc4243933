/* broadcast: repeats dimensions of size one, as in NumPy */
#include "compute/graph/gradients.h"
#include "compute/ops/binary.h"
#include "compute/ops/broadcast_index.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_shape_attrs *attrs = instance->attrs;
    stk_shape              both;
    char                   a[96], b[96];
    STK_TRY(stk_op_check_float(&stk_graph_op_broadcast, instance, 0, err));
    out[0] = (stk_tensor_type){instance->in[0].dtype, attrs->shape};
    if (stk_broadcast_shapes(&instance->in[0].shape, &attrs->shape, &both) &&
        stk_shape_equal(&both, &attrs->shape))
        return STK_OK;
    return stk_fail(err, STK_E_SHAPE, "broadcast", instance->name, "%s cannot be repeated to %s",
                    stk_shape_text(&instance->in[0].shape, a, sizeof a),
                    stk_shape_text(&attrs->shape, b, sizeof b));
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[0] = stk_binary_gradient_for(g, dout[0], node->in[0]);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float     *x = in[0];
    float           *y = out[0];
    const stk_shape *full = &instance->out[0].shape;
    int64_t          stride[STK_MAX_RANK], count = stk_type_elements(&instance->out[0]);
    stk_broadcast_strides(&instance->in[0].shape, full, stride);
    for (int64_t i = 0; i < count; i++)
        y[i] = x[stk_broadcast_at(i, full, stride)];
}

const stk_graph_op stk_graph_op_broadcast = {
    .name = "broadcast",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_shape_attrs),
    .precision = STK_PRECISION_INFER,
    .infer = infer,
    .grad = grad,
    .reference = reference,
};

stk_symbol stk_broadcast(stk_graph *g, stk_symbol x, stk_shape shape)
{
    stk_shape from = stk_symbol_shape(g, x);
    if (stk_shape_equal(&from, &shape)) return x;
    return stk_graph_add1(g, &stk_graph_op_broadcast, x, &(stk_shape_attrs){shape});
}
