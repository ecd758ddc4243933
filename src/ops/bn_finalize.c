/* bn_finalize: statistics of a batch to scale and shift, and the running statistics after it */
#include "ops/batch_norm.h"
#include "ops/ops.h"
#include <math.h>
#include <stdio.h>

enum { MEAN, VAR, GAMMA, BETA, RUNNING_MEAN, RUNNING_VAR, INPUTS };
enum { SCALE, SHIFT, INVSTD, NEXT_MEAN, NEXT_VAR, OUTPUTS };

static stk_status infer(const stk_op_use *use, stk_tensor_type *out, stk_error *err)
{
    STK_TRY(stk_op_want_rank(&stk_graph_op_bn_finalize, use, MEAN, 1, err));
    STK_TRY(stk_bn_want_channels(&stk_graph_op_bn_finalize, use, MEAN, INPUTS, err));
    for (int o = 0; o < OUTPUTS; o++)
        out[o] = use->in[MEAN];
    return STK_OK;
}

static float blend(float before, double now, float momentum)
{
    return (float)((1 - (double)momentum) * (double)before + (double)momentum * now);
}

/* The running variance is an estimate for data that was not seen: unbiased, as PyTorch's. One
 * element has none; its variance, 0, is taken as it is. */
static void reference(const stk_op_use *use, const void *const *in, void *const *out)
{
    const stk_bn_finalize_attrs *attrs = use->attrs;
    const float *mean = in[MEAN], *var = in[VAR], *gamma = in[GAMMA], *beta = in[BETA];
    const float *running_mean = in[RUNNING_MEAN], *running_var = in[RUNNING_VAR];
    float       *scale = out[SCALE], *shift = out[SHIFT], *invstd = out[INVSTD];
    float       *next_mean = out[NEXT_MEAN], *next_var = out[NEXT_VAR];
    double       count = (double)attrs->count, unbias = count > 1 ? count / (count - 1) : 1;
    for (int64_t c = 0; c < use->in[MEAN].shape.dim[0]; c++) {
        double inverse = 1 / sqrt((double)var[c] + (double)attrs->epsilon);
        double by = (double)gamma[c] * inverse;
        invstd[c] = (float)inverse;
        scale[c] = (float)by;
        shift[c] = (float)((double)beta[c] - (double)mean[c] * by);
        next_mean[c] = blend(running_mean[c], (double)mean[c], attrs->momentum);
        next_var[c] = blend(running_var[c], (double)var[c] * unbias, attrs->momentum);
    }
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_bn_finalize_attrs *attrs = attrs_;
    snprintf(text, capacity, "epsilon=%g momentum=%g count=%lld", (double)attrs->epsilon,
             (double)attrs->momentum, (long long)attrs->count);
}

/* No gradient of its own: bn_apply has that of the whole. */
const stk_graph_op stk_graph_op_bn_finalize = {
    .name = "bn_finalize",
    .inputs_min = INPUTS,
    .inputs_max = INPUTS,
    .outputs = OUTPUTS,
    .attrs_size = sizeof(stk_bn_finalize_attrs),
    .over = {[NEXT_MEAN] = RUNNING_MEAN + 1, [NEXT_VAR] = RUNNING_VAR + 1},
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .reference = reference,
    .print = print,
};
