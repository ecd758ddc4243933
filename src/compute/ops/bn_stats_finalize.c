/* bn_stats_finalize: bn_stats and bn_finalize in one. A pass builds it after gradients, for
 * backends with a fused kernel. */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

enum { X, GAMMA, BETA, RUNNING_MEAN, RUNNING_VAR, INPUTS };
enum { MEAN, SCALE, SHIFT, INVSTD, NEXT_MEAN, NEXT_VAR, OUTPUTS };

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    stk_tensor_type stats[2];
    stk_op_instance x = {
        .name = instance->name, .input_count = 1, .output_count = 2, .in = instance->in};
    STK_TRY(stk_graph_op_bn_stats.infer(&x, stats, err));
    STK_TRY(stk_bn_check_channels(&stk_graph_op_bn_stats_finalize, instance, GAMMA, INPUTS - GAMMA,
                                  err));
    for (int o = 0; o < OUTPUTS; o++)
        out[o] = stats[0];
    return STK_OK;
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 4);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *gamma = in[GAMMA], *beta = in[BETA];
    const float *running_mean = in[RUNNING_MEAN], *running_var = in[RUNNING_VAR];
    float       *mean = out[MEAN], *scale = out[SCALE], *shift = out[SHIFT], *invstd = out[INVSTD];
    float       *next_mean = out[NEXT_MEAN], *next_var = out[NEXT_VAR], var;
    int64_t      channels = instance->out[0].shape.dim[0],
            count = stk_type_elements(&instance->in[X]) / channels;
    for (int64_t c = 0; c < channels; c++) {
        stk_bn_moments(in[X], count, channels, c, &mean[c], &var);
        stk_bn_scaling s = stk_bn_finalize_channel(instance->attrs, mean[c], var, gamma[c], beta[c],
                                                   running_mean[c], running_var[c]);
        scale[c] = s.scale, shift[c] = s.shift, invstd[c] = s.invstd;
        next_mean[c] = s.running_mean, next_var[c] = s.running_var;
    }
}

const stk_graph_op stk_graph_op_bn_stats_finalize = {
    .name = "bn_stats_finalize",
    .inputs_min = INPUTS,
    .inputs_max = INPUTS,
    .outputs = OUTPUTS,
    .attrs_size = sizeof(stk_bn_finalize_attrs),
    .inplace = {[NEXT_MEAN] = RUNNING_MEAN + 1, [NEXT_VAR] = RUNNING_VAR + 1},
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_vector,
    .infer = infer,
    .cost = cost,
    .reference = reference,
    .print = stk_bn_finalize_print,
};
