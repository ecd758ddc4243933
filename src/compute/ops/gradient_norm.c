/* gradient_norm: sum of squares over any number of tensors, without non-finite elements, and the
 * count of these */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update.h"

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    for (int i = 0; i < instance->input_count; i++)
        STK_TRY(stk_op_check_float(&stk_graph_op_gradient_norm, instance, i, err));
    out[0] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_1d(2)};
    return STK_OK;
}

static bool reads_half(const stk_op_instance *instance, int input)
{
    (void)instance, (void)input;
    return true;
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    stk_op_cost cost = {0, (double)stk_type_bytes(&instance->out[0])};
    for (int i = 0; i < instance->input_count; i++) {
        cost.flops += 2 * (double)stk_type_elements(&instance->in[i]);
        cost.bytes += (double)stk_type_bytes(&instance->in[i]);
    }
    return cost;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    double squares = 0, not_finite = 0;
    for (int t = 0; t < instance->input_count; t++) {
        const float *g = in[t];
        int64_t      count = stk_type_elements(&instance->in[t]);
        for (int64_t i = 0; i < count; i++)
            if (isfinite(g[i]))
                squares += (double)g[i] * (double)g[i];
            else
                not_finite++;
    }
    ((float *)out[0])[0] = (float)squares;
    ((float *)out[0])[1] = (float)not_finite;
}

const stk_graph_op stk_graph_op_gradient_norm = {
    .name = "gradient_norm",
    .inputs_min = 1,
    .inputs_max = STK_OP_ANY,
    .outputs = 1,
    .precision = STK_PRECISION_KEEP,
    .reads_half = reads_half,
    .infer = infer,
    .cost = cost,
    .reference = reference,
};
