/* Shared by reduce_sum and reduce_mean. */
#include "compute/ops/reduce.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/ops.h>

static stk_shape result_shape(const stk_shape *in, unsigned axes, bool keep)
{
    stk_shape out = {0};
    for (int i = 0; i < in->rank; i++) {
        bool reduced = axes >> i & 1;
        if (reduced && !keep) continue;
        out.dim[out.rank++] = reduced ? 1 : in->dim[i];
    }
    return out;
}

stk_status stk_reduce_infer(const stk_graph_op *op, const stk_op_instance *instance,
                            stk_tensor_type *out, stk_error *err)
{
    const stk_reduce_attrs *attrs = instance->attrs;
    char                    text[96];
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    if (attrs->axes >> instance->in[0].shape.rank)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name, "axes 0x%x of shape %s",
                        attrs->axes, stk_shape_text(&instance->in[0].shape, text, sizeof text));
    out[0].dtype = instance->in[0].dtype;
    out[0].shape = result_shape(&instance->in[0].shape, attrs->axes, attrs->keep);
    return STK_OK;
}

int64_t stk_reduce_count(const stk_op_instance *instance)
{
    int64_t result = stk_type_elements(&instance->out[0]);
    return result ? stk_type_elements(&instance->in[0]) / result : 0;
}

/* Visits the reduced elements of each result in order. Sums are in double, so their order does not
 * matter to tests. */
void stk_reduce_reference(const stk_op_instance *instance, const void *const *in, void *const *out,
                          bool mean)
{
    const stk_reduce_attrs *attrs = instance->attrs;
    const stk_shape        *shape = &instance->in[0].shape;
    const float            *x = in[0];
    float                  *y = out[0];
    int64_t results = stk_type_elements(&instance->out[0]), count = stk_reduce_count(instance);
    int64_t stride[STK_MAX_RANK + 1] = {0};
    stride[shape->rank] = 1;
    for (int d = shape->rank - 1; d >= 0; d--)
        stride[d] = stride[d + 1] * shape->dim[d];
    for (int64_t r = 0; r < results; r++) {
        double sum = 0;
        for (int64_t i = 0; i < count; i++) {
            int64_t at = 0, outer = r, reduced = i;
            for (int d = shape->rank - 1; d >= 0; d--) {
                int64_t *from = attrs->axes >> d & 1 ? &reduced : &outer;
                at += *from % shape->dim[d] * stride[d + 1];
                *from /= shape->dim[d];
            }
            sum += (double)x[at];
        }
        y[r] = (float)(mean && count ? sum / (double)count : sum);
    }
}

void stk_reduce_print(const void *attrs_, char *text, size_t capacity)
{
    const stk_reduce_attrs *attrs = attrs_;
    int                     used = snprintf(text, capacity, "axes=");
    for (int d = 0; d < STK_MAX_RANK; d++)
        if (attrs->axes >> d & 1)
            used += snprintf(text + used, capacity - (size_t)used, "%s%d",
                             text[used - 1] == '=' ? "" : ",", d);
    if (attrs->keep) snprintf(text + used, capacity - (size_t)used, " keep");
}

stk_symbol stk_reduce(stk_graph *g, const stk_graph_op *op, stk_symbol x, unsigned axes, bool keep)
{
    if (!axes) axes = (1u << stk_symbol_shape(g, x).rank) - 1;
    return stk_graph_add1(g, op, x, &(stk_reduce_attrs){axes, keep});
}

stk_symbol stk_reduce_spread(stk_graph *g, const stk_graph_node *node, stk_symbol dy)
{
    const stk_reduce_attrs *attrs = node->attrs;
    stk_shape               full = stk_symbol_shape(g, node->in[0]);
    stk_shape               outer = result_shape(&full, attrs->axes, true);
    return stk_broadcast(g, stk_reshape(g, dy, outer), full);
}
