/* transpose: permutes dimensions */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stdio.h>
#include <stoker/ops.h>
#include <string.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_transpose_attrs *attrs = instance->attrs;
    const stk_shape           *x = &instance->in[0].shape;
    unsigned                   seen = 0;
    out[0] = instance->in[0];
    for (int i = 0; i < x->rank; i++) {
        int from = attrs->order[i];
        if (from < 0 || from >= x->rank || (seen >> from & 1))
            return stk_fail(err, STK_E_SHAPE, "transpose", instance->name,
                            "dimension %d of the result is to be %d of %d", i, from, x->rank);
        seen |= 1u << from;
        out[0].shape.dim[i] = x->dim[from];
    }
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    const stk_transpose_attrs *attrs = node->attrs;
    int                        back[STK_MAX_RANK] = {0};
    (void)sink;
    for (int i = 0; i < stk_symbol_shape(g, node->in[0]).rank; i++)
        back[attrs->order[i]] = i;
    din[0] = stk_transpose(g, dout[0], back);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_transpose_attrs *attrs = instance->attrs;
    const stk_shape           *x = &instance->in[0].shape, *y = &instance->out[0].shape;
    size_t                     element = stk_reference_element(instance->in[0].dtype);
    int64_t stride[STK_MAX_RANK + 1] = {0}, count = stk_type_elements(&instance->in[0]);
    stride[x->rank] = 1;
    for (int d = x->rank - 1; d >= 0; d--)
        stride[d] = stride[d + 1] * x->dim[d];
    for (int64_t i = 0; i < count; i++) {
        int64_t at = 0, rest = i;
        for (int d = y->rank - 1; d >= 0; d--) {
            at += rest % y->dim[d] * stride[attrs->order[d] + 1];
            rest /= y->dim[d];
        }
        memcpy((char *)out[0] + (size_t)i * element, (const char *)in[0] + (size_t)at * element,
               element);
    }
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_transpose_attrs *attrs = attrs_;
    int                        used = snprintf(text, capacity, "order=");
    for (int d = 0; d < attrs->rank; d++)
        used +=
            snprintf(text + used, capacity - (size_t)used, "%s%d", d ? "," : "", attrs->order[d]);
}

const stk_graph_op stk_graph_op_transpose = {
    .name = "transpose",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_transpose_attrs),
    .precision = STK_PRECISION_FOLLOW,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .print = print,
};

stk_symbol stk_transpose(stk_graph *g, stk_symbol x, const int *order)
{
    stk_transpose_attrs attrs = {.rank = stk_symbol_shape(g, x).rank};
    memcpy(attrs.order, order, (size_t)attrs.rank * sizeof *order);
    return stk_graph_add1(g, &stk_graph_op_transpose, x, &attrs);
}

stk_symbol stk_to_nhwc(stk_graph *g, stk_symbol x)
{
    if (stk_graph_layout(g) != STK_LAYOUT_NCHW || stk_symbol_shape(g, x).rank != 4) return x;
    return stk_transpose(g, x, (int[]){0, 2, 3, 1});
}

stk_symbol stk_from_nhwc(stk_graph *g, stk_symbol x)
{
    if (stk_graph_layout(g) != STK_LAYOUT_NCHW || stk_symbol_shape(g, x).rank != 4) return x;
    return stk_transpose(g, x, (int[]){0, 3, 1, 2});
}
