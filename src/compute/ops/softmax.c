/* softmax: exp(x) over its sum, along the last dimension */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    STK_TRY(stk_op_check_float(&stk_graph_op_softmax, instance, 0, err));
    if (instance->in[0].shape.rank < 1)
        return stk_fail(err, STK_E_SHAPE, "softmax", instance->name,
                        "a scalar has no last dimension");
    out[0] = instance->in[0];
    return STK_OK;
}

static stk_status infer_grad(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_softmax_grad;
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    STK_TRY(stk_op_check_shape(op, instance, 1, &instance->in[0].shape,
                               "the gradient that comes in", err));
    out[0] = instance->in[0];
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[0] = stk_graph_add2(g, &stk_graph_op_softmax_grad, dout[0], node->out[0], NULL);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 4);
}

static int64_t width_of(const stk_op_instance *instance)
{
    const stk_shape *shape = &instance->in[0].shape;
    return shape->rank ? shape->dim[shape->rank - 1] : 1;
}

/* Subtracts the maximum so that exp cannot overflow. */
static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    int64_t width = width_of(instance), count = stk_type_elements(&instance->in[0]);
    for (int64_t at = 0; at < count; at += width) {
        const float *x = (const float *)in[0] + at;
        float       *y = (float *)out[0] + at;
        double       max = (double)x[0], sum = 0;
        for (int64_t i = 1; i < width; i++)
            if ((double)x[i] > max) max = (double)x[i];
        for (int64_t i = 0; i < width; i++)
            sum += exp((double)x[i] - max);
        for (int64_t i = 0; i < width; i++)
            y[i] = (float)(exp((double)x[i] - max) / sum);
    }
}

/* dx = y (dy - sum(dy y)). */
static void reference_grad(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    int64_t width = width_of(instance), count = stk_type_elements(&instance->in[0]);
    for (int64_t at = 0; at < count; at += width) {
        const float *dy = (const float *)in[0] + at, *y = (const float *)in[1] + at;
        float       *dx = (float *)out[0] + at;
        double       sum = 0;
        for (int64_t i = 0; i < width; i++)
            sum += (double)dy[i] * (double)y[i];
        for (int64_t i = 0; i < width; i++)
            dx[i] = (float)((double)y[i] * ((double)dy[i] - sum));
    }
}

const stk_graph_op stk_graph_op_softmax = {
    .name = "softmax",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .inplace = {1},
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
};

const stk_graph_op stk_graph_op_softmax_grad = {
    .name = "softmax_grad",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .inplace = {1},
    .precision = STK_PRECISION_KEEP,
    .infer = infer_grad,
    .cost = cost,
    .reference = reference_grad,
};

stk_symbol stk_softmax(stk_graph *g, stk_symbol x)
{
    return stk_graph_add1(g, &stk_graph_op_softmax, x, NULL);
}
