/* mean_squared_error: mean of (prediction - target)^2 */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

enum { PREDICTION, TARGET, DLOSS };

static stk_status check_pair(const stk_graph_op *op, const stk_op_instance *instance,
                             stk_error *err)
{
    STK_TRY(stk_op_check_float(op, instance, PREDICTION, err));
    if (instance->in[PREDICTION].dtype != instance->in[TARGET].dtype)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                        "the prediction is %s, the target %s",
                        stk_dtype_name(instance->in[PREDICTION].dtype),
                        stk_dtype_name(instance->in[TARGET].dtype));
    return stk_op_check_shape(op, instance, TARGET, &instance->in[PREDICTION].shape,
                              "the prediction", err);
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    STK_TRY(check_pair(&stk_graph_op_mean_squared_error, instance, err));
    out[0] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_scalar()};
    return STK_OK;
}

static stk_status infer_grad(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_mean_squared_error_grad;
    STK_TRY(check_pair(op, instance, err));
    STK_TRY(stk_op_check_rank(op, instance, DLOSS, 0, err));
    STK_TRY(stk_op_check_float(op, instance, DLOSS, err));
    out[0] = instance->in[PREDICTION];
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[PREDICTION] = stk_graph_add3(g, &stk_graph_op_mean_squared_error_grad, node->in[PREDICTION],
                                     node->in[TARGET], dout[0], NULL);
    din[TARGET] = stk_scale(g, din[PREDICTION], -1, 0);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 3);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *p = in[PREDICTION], *t = in[TARGET];
    int64_t      count = stk_type_elements(&instance->in[PREDICTION]);
    double       sum = 0;
    for (int64_t i = 0; i < count; i++) {
        double d = (double)p[i] - (double)t[i];
        sum += d * d;
    }
    *(float *)out[0] = count ? (float)(sum / (double)count) : 0;
}

static void reference_grad(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *p = in[PREDICTION], *t = in[TARGET];
    float       *dp = out[0];
    int64_t      count = stk_type_elements(&instance->in[PREDICTION]);
    double       by = 2 * (double)*(const float *)in[DLOSS] / (double)(count ? count : 1);
    for (int64_t i = 0; i < count; i++)
        dp[i] = (float)(by * ((double)p[i] - (double)t[i]));
}

const stk_graph_op stk_graph_op_mean_squared_error = {
    .name = "mean_squared_error",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
};

const stk_graph_op stk_graph_op_mean_squared_error_grad = {
    .name = "mean_squared_error_grad",
    .inputs_min = 3,
    .inputs_max = 3,
    .outputs = 1,
    .inplace = {PREDICTION + 1},
    .precision = STK_PRECISION_KEEP,
    .infer = infer_grad,
    .cost = cost,
    .reference = reference_grad,
};

stk_symbol stk_mean_squared_error(stk_graph *g, stk_symbol prediction, stk_symbol target)
{
    return stk_graph_add2(g, &stk_graph_op_mean_squared_error, prediction, target, NULL);
}
