/* bn_grad_apply: gradients of x and of a residual, given the sums */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

enum { DY, X, MEAN, INVSTD, GAMMA, DGAMMA, DBETA, MASK };

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_bn_grad_apply;
    STK_TRY(stk_op_check_float(op, instance, DY, err));
    STK_TRY(stk_bn_check_like_first(op, instance, X, err));
    STK_TRY(stk_bn_check_channels(op, instance, MEAN, 5, err));
    STK_TRY(stk_bn_check_mask(op, instance, MASK, err));
    out[0] = out[1] = instance->in[DY];
    return STK_OK;
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    const stk_bn_grad_attrs *attrs = instance->attrs;
    return stk_op_cost_of_input(instance, attrs->mask ? 6 : 5);
}

/* With xhat = (x - mean) invstd: dx = gamma invstd (dz - dbeta / M - xhat dgamma / M). */
static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *x = in[X], *mean = in[MEAN], *invstd = in[INVSTD], *gamma = in[GAMMA];
    const float *dgamma = in[DGAMMA], *dbeta = in[DBETA];
    float       *dx = out[0], *dz_out = instance->output_count > 1 ? out[1] : NULL;
    int64_t channels = instance->in[MEAN].shape.dim[0], count = stk_type_elements(&instance->in[X]);
    double  m = channels ? (double)(count / channels) : 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t c = i % channels;
        double  dz = stk_bn_dz(instance, in, MASK, i), by = (double)invstd[c];
        double  xhat = ((double)x[i] - (double)mean[c]) * by;
        dx[i] = (float)((double)gamma[c] * by *
                        (dz - ((double)dbeta[c] + xhat * (double)dgamma[c]) / m));
        if (dz_out) dz_out[i] = (float)dz;
    }
}

const stk_graph_op stk_graph_op_bn_grad_apply = {
    .name = "bn_grad_apply",
    .inputs_min = 7,
    .inputs_max = 9,
    .outputs = 2,
    .outputs_min = 1,
    .attrs_size = sizeof(stk_bn_grad_attrs),
    .inplace = {1},
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_vector,
    .infer = infer,
    .cost = cost,
    .reference = reference,
    .print = stk_bn_grad_print,
};
