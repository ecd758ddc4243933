/* Shared by all activation ops: applies a scalar function elementwise. */
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include <stdio.h>
#include <string.h>

typedef struct pair {
    const stk_graph_op *op, *grad;
} pair;

static const pair pairs[] = {
    {&stk_graph_op_relu, &stk_graph_op_relu_grad},
    {&stk_graph_op_clip, &stk_graph_op_clip_grad},
    {&stk_graph_op_leaky_relu, &stk_graph_op_leaky_relu_grad},
    {&stk_graph_op_gelu, &stk_graph_op_gelu_grad},
    {&stk_graph_op_silu, &stk_graph_op_silu_grad},
    {&stk_graph_op_sigmoid, &stk_graph_op_sigmoid_grad},
    {&stk_graph_op_tanh, &stk_graph_op_tanh_grad},
    {&stk_graph_op_hardswish, &stk_graph_op_hardswish_grad},
    {&stk_graph_op_hardsigmoid, &stk_graph_op_hardsigmoid_grad},
};

const stk_graph_op *stk_activation_grad_op(const stk_graph_op *op)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].op == op) return pairs[i].grad;
    return NULL;
}

static const stk_graph_op *named(const stk_op_instance *instance)
{
    const stk_activation *act = instance->attrs;
    return stk_graph_op_find(act->row->name);
}

stk_status stk_activation_infer(const stk_op_instance *instance, stk_tensor_type *out,
                                stk_error *err)
{
    STK_TRY(stk_op_check_float(named(instance), instance, 0, err));
    out[0] = instance->in[0];
    return STK_OK;
}

void stk_activation_grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout,
                         stk_symbol *din, struct stk_grad_sink *sink)
{
    (void)sink;
    const stk_activation *act = node->attrs;
    stk_symbol            seen = act->row->from_output ? node->out[0] : node->in[0];
    din[0] = stk_graph_add2(g, stk_activation_grad_op(node->op), dout[0], seen, act);
}

void stk_activation_reference(const stk_op_instance *instance, const void *const *in,
                              void *const *out)
{
    const stk_activation *act = instance->attrs;
    const float          *x = in[0];
    float                *y = out[0];
    int64_t               count = stk_type_elements(&instance->in[0]);
    for (int64_t i = 0; i < count; i++)
        y[i] = act->row->value(x[i], act->a, act->b);
}

stk_status stk_activation_grad_infer(const stk_op_instance *instance, stk_tensor_type *out,
                                     stk_error *err)
{
    const stk_graph_op *op = stk_activation_grad_op(named(instance));
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    STK_TRY(stk_op_check_shape(op, instance, 1, &instance->in[0].shape,
                               "the gradient that comes in", err));
    out[0] = instance->in[0];
    return STK_OK;
}

void stk_activation_grad_reference(const stk_op_instance *instance, const void *const *in,
                                   void *const *out)
{
    const stk_activation *act = instance->attrs;
    const float          *dy = in[0], *seen = in[1];
    float                *dx = out[0];
    int64_t               count = stk_type_elements(&instance->in[0]);
    for (int64_t i = 0; i < count; i++)
        dx[i] = dy[i] * act->row->slope(seen[i], seen[i], act->a, act->b);
}

void stk_activation_attrs_print(const void *attrs, char *text, size_t capacity)
{
    const stk_activation *act = attrs;
    if (act->a != 0 || act->b != 0)
        snprintf(text, capacity, "a=%g b=%g", (double)act->a, (double)act->b);
}

void stk_activation_print(const stk_activation *act, char *text, size_t capacity)
{
    size_t used = strlen(text);
    if (!act->row) return;
    snprintf(text + used, capacity - used, "%sact=%s", used ? " " : "", act->row->name);
    used = strlen(text);
    if (act->a != 0 || act->b != 0)
        snprintf(text + used, capacity - used, "(%g,%g)", (double)act->a, (double)act->b);
}
