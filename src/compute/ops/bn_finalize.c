/* bn_finalize: batch statistics to scale and shift; updates the running statistics */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <stdio.h>

enum { MEAN, VAR, GAMMA, BETA, RUNNING_MEAN, RUNNING_VAR, INPUTS };
enum { SCALE, SHIFT, INVSTD, NEXT_MEAN, NEXT_VAR, OUTPUTS };

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    STK_TRY(stk_op_check_rank(&stk_graph_op_bn_finalize, instance, MEAN, 1, err));
    STK_TRY(stk_bn_check_channels(&stk_graph_op_bn_finalize, instance, MEAN, INPUTS, err));
    for (int o = 0; o < OUTPUTS; o++)
        out[o] = instance->in[MEAN];
    return STK_OK;
}

static float blend(float before, double now, float momentum)
{
    return (float)((1 - (double)momentum) * (double)before + (double)momentum * now);
}

/* The running variance is unbiased, as PyTorch's. For one element, where that is undefined, it is
 * the biased one, 0. */
stk_bn_scaling stk_bn_finalize_channel(const stk_bn_finalize_attrs *attrs, float mean, float var,
                                       float gamma, float beta, float running_mean,
                                       float running_var)
{
    double count = (double)attrs->count, unbias = count > 1 ? count / (count - 1) : 1;
    double inverse = 1 / sqrt((double)var + (double)attrs->epsilon);
    double by = (double)gamma * inverse;
    return (stk_bn_scaling){
        .scale = (float)by,
        .shift = (float)((double)beta - (double)mean * by),
        .invstd = (float)inverse,
        .running_mean = blend(running_mean, (double)mean, attrs->momentum),
        .running_var = blend(running_var, (double)var * unbias, attrs->momentum),
    };
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *mean = in[MEAN], *var = in[VAR], *gamma = in[GAMMA], *beta = in[BETA];
    const float *running_mean = in[RUNNING_MEAN], *running_var = in[RUNNING_VAR];
    float       *scale = out[SCALE], *shift = out[SHIFT], *invstd = out[INVSTD];
    float       *next_mean = out[NEXT_MEAN], *next_var = out[NEXT_VAR];
    for (int64_t c = 0; c < instance->in[MEAN].shape.dim[0]; c++) {
        stk_bn_scaling s = stk_bn_finalize_channel(instance->attrs, mean[c], var[c], gamma[c],
                                                   beta[c], running_mean[c], running_var[c]);
        scale[c] = s.scale, shift[c] = s.shift, invstd[c] = s.invstd;
        next_mean[c] = s.running_mean, next_var[c] = s.running_var;
    }
}

void stk_bn_finalize_print(const void *attrs_, char *text, size_t capacity)
{
    const stk_bn_finalize_attrs *attrs = attrs_;
    snprintf(text, capacity, "epsilon=%g momentum=%g count=%lld", (double)attrs->epsilon,
             (double)attrs->momentum, (long long)attrs->count);
}

/* No gradient: that of bn_apply covers all pieces. */
const stk_graph_op stk_graph_op_bn_finalize = {
    .name = "bn_finalize",
    .inputs_min = INPUTS,
    .inputs_max = INPUTS,
    .outputs = OUTPUTS,
    .attrs_size = sizeof(stk_bn_finalize_attrs),
    .inplace = {[NEXT_MEAN] = RUNNING_MEAN + 1, [NEXT_VAR] = RUNNING_VAR + 1},
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .reference = reference,
    .print = stk_bn_finalize_print,
};
