/* scale: x * scale + shift, with constants of the graph */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stdio.h>
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    STK_TRY(stk_op_check_float(&stk_graph_op_scale, instance, 0, err));
    out[0] = instance->in[0];
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[0] = stk_scale(g, dout[0], ((const stk_scale_attrs *)node->attrs)->scale, 0);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_scale_attrs *attrs = instance->attrs;
    const float           *x = in[0];
    float                 *y = out[0], scale = (float)attrs->scale, shift = (float)attrs->shift;
    int64_t                count = stk_type_elements(&instance->in[0]);
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] * scale + shift;
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_scale_attrs *attrs = attrs_;
    snprintf(text, capacity, "scale=%g shift=%g", attrs->scale, attrs->shift);
}

const stk_graph_op stk_graph_op_scale = {
    .name = "scale",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_scale_attrs),
    .traits = STK_OP_ELEMENTWISE,
    .inplace = {1},
    .precision = STK_PRECISION_INFER,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .print = print,
};

stk_symbol stk_scale(stk_graph *g, stk_symbol x, double scale, double shift)
{
    return stk_graph_add1(g, &stk_graph_op_scale, x, &(stk_scale_attrs){scale, shift});
}
