/* pad: surrounds a tensor with a constant */
#include "base/checked.h"
#include "compute/graph/gradients.h"
#include "compute/ops/box_index.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stdio.h>
#include <stoker/ops.h>
#include <string.h>

static stk_status check_value(const stk_op_instance *instance, stk_error *err)
{
    stk_dtype dtype = instance->in[0].dtype;
    double    value = ((const stk_pad_attrs *)instance->attrs)->value;
    if (dtype == STK_DTYPE_F32 || dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16 || value == 0)
        return STK_OK;
    return stk_fail(err, STK_E_TYPE, "pad", instance->name,
                    "%g around %s; what is not a float is padded with 0", value,
                    stk_dtype_name(dtype));
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_pad_attrs *attrs = instance->attrs;
    const stk_shape     *x = &instance->in[0].shape;
    STK_TRY(check_value(instance, err));
    out[0] = instance->in[0];
    for (int d = 0; d < x->rank; d++) {
        int64_t *dim = &out[0].shape.dim[d], before = attrs->before[d], after = attrs->after[d];
        if (before < 0 || after < 0 || stk_add_overflows_i64(*dim, before, dim) ||
            stk_add_overflows_i64(*dim, after, dim))
            return stk_fail(err, STK_E_SHAPE, "pad", instance->name,
                            "%lld before and %lld after the %lld of dimension %d",
                            (long long)before, (long long)after, (long long)x->dim[d], d);
    }
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    const stk_pad_attrs *attrs = node->attrs;
    (void)sink;
    din[0] = stk_slice(g, dout[0], attrs->before, stk_symbol_shape(g, node->in[0]).dim);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_pad_attrs *attrs = instance->attrs;
    const stk_shape     *x = &instance->in[0].shape, *y = &instance->out[0].shape;
    size_t               element = stk_reference_element(instance->in[0].dtype);
    int64_t              count = stk_type_elements(&instance->in[0]),
            elements = stk_type_elements(&instance->out[0]);
    memset(out[0], 0, (size_t)elements * element);
    for (int64_t i = 0; attrs->value != 0 && i < elements; i++)
        ((float *)out[0])[i] = (float)attrs->value;
    for (int64_t i = 0; i < count; i++)
        memcpy((char *)out[0] + (size_t)stk_box_at(i, x, y, attrs->before) * element,
               (const char *)in[0] + (size_t)i * element, element);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return (stk_op_cost){
        0, (double)(stk_type_bytes(&instance->in[0]) + stk_type_bytes(&instance->out[0]))};
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_pad_attrs *attrs = attrs_;
    size_t               used = (size_t)snprintf(text, capacity, "value=%g", attrs->value);
    for (int d = 0; d < STK_MAX_RANK && used < capacity; d++)
        if (attrs->before[d] || attrs->after[d])
            used += (size_t)snprintf(text + used, capacity - used, " %d:%lld+%lld", d,
                                     (long long)attrs->before[d], (long long)attrs->after[d]);
}

const stk_graph_op stk_graph_op_pad = {
    .name = "pad",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_pad_attrs),
    .precision = STK_PRECISION_FOLLOW,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};

stk_symbol stk_pad(stk_graph *g, stk_symbol x, const int64_t *before, const int64_t *after,
                   double value)
{
    stk_pad_attrs attrs = {.value = value};
    size_t        bytes = (size_t)stk_symbol_shape(g, x).rank * sizeof *before;
    memcpy(attrs.before, before, bytes);
    memcpy(attrs.after, after, bytes);
    return stk_graph_add1(g, &stk_graph_op_pad, x, &attrs);
}
