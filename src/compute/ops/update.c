/* Shared by optimizer ops. */
#include "compute/ops/update.h"
#include <stdio.h>
#include <string.h>

/* Bias corrections subtract numbers near 1; in float32 the first steps would lose half their
 * digits. */
stk_update stk_update_read(const stk_optimizer_attrs *attrs, const float *hyper, const float *guard)
{
    if (guard[STK_GUARD_SKIP] != 0) return (stk_update){.skip = true};
    bool frozen =
        attrs->freeze_after > 0 && hyper[STK_HYPER_PROGRESS] >= (float)attrs->freeze_after;
    double rate = frozen ? 0 : (double)hyper[STK_HYPER_RATE] * attrs->rate;
    double steps = (double)guard[STK_GUARD_STEPS];
    double beta1 = attrs->beta1 > 0 ? attrs->beta1 : (double)hyper[STK_HYPER_MOMENTUM];
    double correct1 = 1 - pow(beta1, steps), correct2 = sqrt(1 - pow(attrs->beta2, steps));
    return (stk_update){
        .multiply = guard[STK_GUARD_MULTIPLY],
        .rate = (float)rate,
        .momentum = hyper[STK_HYPER_MOMENTUM],
        .decay = (float)attrs->weight_decay,
        .nesterov = attrs->nesterov,
        .keep = (float)(1 - rate * attrs->weight_decay),
        .beta1 = (float)beta1,
        .beta2 = (float)attrs->beta2,
        .weight1 = (float)(1 - beta1),
        .weight2 = (float)(1 - attrs->beta2),
        .correct1 = (float)correct1,
        .correct2 = (float)correct2,
        .step = (float)(rate / correct1),
        .epsilon = (float)attrs->epsilon,
    };
}

stk_status stk_update_check_f32(const stk_graph_op *op, const stk_op_instance *instance, int which,
                                stk_error *err)
{
    if (instance->in[which].dtype == STK_DTYPE_F32) return STK_OK;
    return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                    "input %d is %s; updates take float32", which,
                    stk_dtype_name(instance->in[which].dtype));
}

stk_status stk_update_infer(const stk_graph_op *op, const stk_op_instance *instance,
                            stk_tensor_type *out, stk_error *err)
{
    int       hyper = instance->input_count - 2, guard = instance->input_count - 1;
    stk_shape hyper_shape = stk_shape_1d(STK_HYPER_COUNT);
    stk_shape guard_shape = stk_shape_1d(STK_GUARD_COUNT);
    for (int i = 0; i < instance->input_count; i++) {
        if (i == 1)
            STK_TRY(stk_op_check_float(op, instance, i, err));
        else
            STK_TRY(stk_update_check_f32(op, instance, i, err));
        if (i < hyper)
            STK_TRY(
                stk_op_check_shape(op, instance, i, &instance->in[0].shape, "the parameter", err));
    }
    STK_TRY(stk_op_check_shape(op, instance, hyper, &hyper_shape, "hyper", err));
    STK_TRY(stk_op_check_shape(op, instance, guard, &guard_shape, "a guard", err));
    for (int o = 0; o < op->outputs; o++)
        out[o] = instance->in[0];
    return STK_OK;
}

bool stk_update_reads_half(const stk_op_instance *instance, int input)
{
    (void)instance;
    return input == 1;
}

stk_op_cost stk_update_cost(const stk_op_instance *instance, double flops_per_element)
{
    stk_op_cost cost = {flops_per_element * (double)stk_type_elements(&instance->in[0]), 0};
    for (int i = 0; i < instance->input_count; i++)
        cost.bytes += (double)stk_type_bytes(&instance->in[i]);
    for (int o = 0; o < instance->output_count; o++)
        cost.bytes += (double)stk_type_bytes(&instance->out[o]);
    return cost;
}

void stk_update_print(const void *attrs_, char *text, size_t capacity)
{
    const stk_optimizer_attrs *attrs = attrs_;
    int used = snprintf(text, capacity, "rate=%g decay=%g", attrs->rate, attrs->weight_decay);
    if (attrs->beta2 != 0 && (size_t)used < capacity)
        used += snprintf(text + used, capacity - (size_t)used, " betas=%g,%g epsilon=%g",
                         attrs->beta1, attrs->beta2, attrs->epsilon);
    if (attrs->freeze_after != 0 && (size_t)used < capacity)
        used +=
            snprintf(text + used, capacity - (size_t)used, " freeze_after=%g", attrs->freeze_after);
    if (attrs->trust != 0 && (size_t)used < capacity)
        used += snprintf(text + used, capacity - (size_t)used, " trust=%g", attrs->trust);
    if ((size_t)used < capacity)
        snprintf(text + used, capacity - (size_t)used, "%s%s", attrs->nesterov ? " nesterov" : "",
                 attrs->adapt ? " adapt" : "");
}

void stk_update_copy_inputs(const stk_graph_op *op, const stk_op_instance *instance,
                            const void *const *in, void *const *out)
{
    for (int o = 0; o < instance->output_count; o++)
        if (op->inplace[o] && out[o] && out[o] != in[op->inplace[o] - 1])
            memcpy(out[o], in[op->inplace[o] - 1], stk_type_bytes(&instance->out[o]));
}

double stk_update_squares(const float *x, int64_t count, float multiply)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        double value = (double)(x[i] * multiply);
        sum += value * value;
    }
    return sum;
}

float stk_lars_trust(const stk_optimizer_attrs *attrs, double w_squares, double g_squares)
{
    double w = sqrt(w_squares), g = sqrt(g_squares);
    if (!attrs->adapt || w == 0 || g == 0) return 1;
    return (float)(attrs->trust * w / (g + attrs->weight_decay * w + attrs->epsilon));
}

float stk_lamb_trust(const stk_optimizer_attrs *attrs, double w_squares, double update_squares)
{
    if (!attrs->adapt || w_squares == 0 || update_squares == 0) return 1;
    return (float)sqrt(w_squares / update_squares);
}
