/* slice: a box of a tensor */
#include "compute/graph/gradients.h"
#include "compute/ops/box_index.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stdio.h>
#include <stoker/ops.h>
#include <string.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_slice_attrs *attrs = instance->attrs;
    const stk_shape       *x = &instance->in[0].shape;
    out[0] = instance->in[0];
    for (int d = 0; d < x->rank; d++) {
        int64_t start = attrs->start[d], size = attrs->size[d];
        if (start < 0 || start > x->dim[d] || size < 0 || size > x->dim[d] - start)
            return stk_fail(err, STK_E_SHAPE, "slice", instance->name,
                            "%lld elements from %lld on, of the %lld of dimension %d",
                            (long long)size, (long long)start, (long long)x->dim[d], d);
        out[0].shape.dim[d] = size;
    }
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    const stk_slice_attrs *attrs = node->attrs;
    stk_shape              x = stk_symbol_shape(g, node->in[0]);
    int64_t                after[STK_MAX_RANK] = {0};
    (void)sink;
    for (int d = 0; d < x.rank; d++)
        after[d] = x.dim[d] - attrs->start[d] - attrs->size[d];
    din[0] = stk_pad(g, dout[0], attrs->start, after, 0);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_slice_attrs *attrs = instance->attrs;
    const stk_shape       *x = &instance->in[0].shape, *y = &instance->out[0].shape;
    size_t                 element = stk_reference_element(instance->in[0].dtype);
    int64_t                count = stk_type_elements(&instance->out[0]);
    for (int64_t i = 0; i < count; i++)
        memcpy((char *)out[0] + (size_t)i * element,
               (const char *)in[0] + (size_t)stk_box_at(i, y, x, attrs->start) * element, element);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return (stk_op_cost){0, 2 * (double)stk_type_bytes(&instance->out[0])};
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_slice_attrs *attrs = attrs_;
    size_t                 used = (size_t)snprintf(text, capacity, "box=");
    int                    rank = STK_MAX_RANK;
    while (rank > 1 && attrs->size[rank - 1] == 0)
        rank--;
    for (int d = 0; d < rank && used < capacity; d++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld+%lld", d ? "," : "",
                                 (long long)attrs->start[d], (long long)attrs->size[d]);
}

const stk_graph_op stk_graph_op_slice = {
    .name = "slice",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_slice_attrs),
    .precision = STK_PRECISION_FOLLOW,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};

stk_symbol stk_slice(stk_graph *g, stk_symbol x, const int64_t *start, const int64_t *size)
{
    stk_shape       shape = stk_symbol_shape(g, x);
    stk_slice_attrs attrs = {{0}, {0}};
    for (int d = 0; d < shape.rank; d++) {
        bool to_end = size[d] == -1 && start[d] >= 0 && start[d] <= shape.dim[d];
        attrs.start[d] = start[d];
        attrs.size[d] = to_end ? shape.dim[d] - start[d] : size[d];
    }
    return stk_graph_add1(g, &stk_graph_op_slice, x, &attrs);
}
