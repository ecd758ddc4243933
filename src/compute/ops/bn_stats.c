/* bn_stats: mean and biased variance of each channel */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_shape *x = &instance->in[0].shape;
    char             text[96];
    STK_TRY(stk_op_check_float(&stk_graph_op_bn_stats, instance, 0, err));
    STK_TRY(stk_bn_check_channels(&stk_graph_op_bn_stats, instance, 1, 0, err));
    if (stk_type_elements(&instance->in[0]) == 0)
        return stk_fail(err, STK_E_SHAPE, "bn_stats", instance->name,
                        "%s has no elements to average", stk_shape_text(x, text, sizeof text));
    out[0] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_1d(x->dim[x->rank - 1])};
    out[1] = out[0];
    return STK_OK;
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 4);
}

/* Two passes in double: squares are taken around the mean to avoid cancellation. */
void stk_bn_moments(const float *x, int64_t count, int64_t channels, int64_t c, float *mean,
                    float *var)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)x[i * channels + c];
    sum /= (double)count;
    for (int64_t i = 0; i < count; i++) {
        double d = (double)x[i * channels + c] - sum;
        squares += d * d;
    }
    *mean = (float)sum;
    *var = (float)(squares / (double)count);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    float  *mean = out[0], *var = out[1];
    int64_t channels = instance->out[0].shape.dim[0],
            count = stk_type_elements(&instance->in[0]) / channels;
    for (int64_t c = 0; c < channels; c++)
        stk_bn_moments(in[0], count, channels, c, &mean[c], &var[c]);
}

/* No gradient: that of bn_apply covers all pieces. */
const stk_graph_op stk_graph_op_bn_stats = {
    .name = "bn_stats",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 2,
    .precision = STK_PRECISION_INFER,
    .infer = infer,
    .cost = cost,
    .reference = reference,
};
