/* bn_grad_sums: gradients of gamma and beta; the reductions that bn_grad_apply needs */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

enum { DY, X, MEAN, INVSTD, MASK };

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_bn_grad_sums;
    STK_TRY(stk_op_check_float(op, instance, DY, err));
    STK_TRY(stk_bn_check_like_first(op, instance, X, err));
    STK_TRY(stk_bn_check_channels(op, instance, MEAN, 2, err));
    STK_TRY(stk_bn_check_mask(op, instance, MASK, err));
    out[0] = out[1] = instance->in[MEAN];
    return STK_OK;
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    const stk_bn_grad_attrs *attrs = instance->attrs;
    return stk_op_cost_of_input(instance, attrs->mask ? 6 : 5);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *x = in[X], *mean = in[MEAN], *invstd = in[INVSTD];
    float       *dgamma = out[0], *dbeta = out[1];
    int64_t channels = instance->in[MEAN].shape.dim[0], count = stk_type_elements(&instance->in[X]);
    for (int64_t c = 0; c < channels; c++) {
        double with_x = 0, sum = 0;
        for (int64_t i = c; i < count; i += channels) {
            double dz = stk_bn_dz(instance, in, MASK, i);
            with_x += dz * ((double)x[i] - (double)mean[c]);
            sum += dz;
        }
        dgamma[c] = (float)(with_x * (double)invstd[c]);
        dbeta[c] = (float)sum;
    }
}

const stk_graph_op stk_graph_op_bn_grad_sums = {
    .name = "bn_grad_sums",
    .inputs_min = 4,
    .inputs_max = 6,
    .outputs = 2,
    .attrs_size = sizeof(stk_bn_grad_attrs),
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_vector,
    .infer = infer,
    .cost = cost,
    .reference = reference,
    .print = stk_bn_grad_print,
};
