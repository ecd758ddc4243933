/* concat: joins tensors along a dimension */
#include "base/checked.h"
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <limits.h>
#include <stdio.h>
#include <stoker/ops.h>
#include <string.h>

static stk_status fits(const stk_op_instance *instance, int input, int axis, stk_error *err)
{
    const stk_tensor_type *first = &instance->in[0], *other = &instance->in[input];
    stk_shape              expected = first->shape;
    if (other->dtype != first->dtype)
        return stk_fail(err, STK_E_TYPE, "concat", instance->name, "part %d is %s but part 0 is %s",
                        input, stk_dtype_name(other->dtype), stk_dtype_name(first->dtype));
    if (other->shape.rank == expected.rank) expected.dim[axis] = other->shape.dim[axis];
    return stk_op_check_shape(&stk_graph_op_concat, instance, input, &expected,
                              "part 0 in all but one dimension", err);
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    int  axis = ((const stk_concat_attrs *)instance->attrs)->axis;
    char text[96];
    if (axis < 0 || axis >= instance->in[0].shape.rank)
        return stk_fail(err, STK_E_SHAPE, "concat", instance->name, "dimension %d of shape %s",
                        axis, stk_shape_text(&instance->in[0].shape, text, sizeof text));
    out[0] = instance->in[0];
    for (int i = 1; i < instance->input_count; i++) {
        STK_TRY(fits(instance, i, axis, err));
        if (stk_add_overflows_i64(out[0].shape.dim[axis], instance->in[i].shape.dim[axis],
                                  &out[0].shape.dim[axis]))
            return stk_fail(err, STK_E_SHAPE, "concat", instance->name, "more than 2^63 elements");
    }
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    int     axis = ((const stk_concat_attrs *)node->attrs)->axis;
    int64_t start[STK_MAX_RANK] = {0};
    (void)sink;
    for (int i = 0; i < node->input_count; i++) {
        stk_shape input = stk_symbol_shape(g, node->in[i]);
        din[i] = stk_slice(g, dout[0], start, input.dim);
        start[axis] += input.dim[axis];
    }
}

/* Bytes per index of the dimensions before axis. */
static size_t row_bytes(const stk_tensor_type *type, int axis)
{
    size_t bytes = stk_reference_element(type->dtype);
    for (int d = axis; d < type->shape.rank; d++)
        bytes *= (size_t)type->shape.dim[d];
    return bytes;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    int     axis = ((const stk_concat_attrs *)instance->attrs)->axis;
    size_t  full = row_bytes(&instance->out[0], axis), at = 0;
    int64_t rows = 1;
    for (int d = 0; d < axis; d++)
        rows *= instance->out[0].shape.dim[d];
    for (int i = 0; i < instance->input_count; i++) {
        size_t input = row_bytes(&instance->in[i], axis);
        for (int64_t row = 0; row < rows; row++)
            memcpy((char *)out[0] + (size_t)row * full + at,
                   (const char *)in[i] + (size_t)row * input, input);
        at += input;
    }
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return (stk_op_cost){0, 2 * (double)stk_type_bytes(&instance->out[0])};
}

static void print(const void *attrs, char *text, size_t capacity)
{
    snprintf(text, capacity, "axis=%d", ((const stk_concat_attrs *)attrs)->axis);
}

const stk_graph_op stk_graph_op_concat = {
    .name = "concat",
    .inputs_min = 1,
    .inputs_max = STK_OP_ANY,
    .outputs = 1,
    .attrs_size = sizeof(stk_concat_attrs),
    .precision = STK_PRECISION_FOLLOW,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};

stk_symbol stk_concat(stk_graph *g, const stk_symbol *inputs, size_t count, int axis)
{
    stk_symbol out;
    if (count > INT_MAX)
        return stk_graph_fail(g, STK_E_LIMIT, "concat", g->path, "%zu parts", count);
    stk_graph_add(g, &stk_graph_op_concat, inputs, (int)count, &(stk_concat_attrs){axis}, &out, 1);
    return out;
}
