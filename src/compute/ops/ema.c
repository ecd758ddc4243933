/* ema: exponential moving average of a parameter; starts with its value after the first update */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update.h"
#include <stdio.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    stk_shape guard = stk_shape_1d(STK_GUARD_COUNT);
    for (int i = 0; i < 3; i++)
        STK_TRY(stk_update_check_f32(&stk_graph_op_ema, instance, i, err));
    STK_TRY(stk_op_check_shape(&stk_graph_op_ema, instance, 1, &instance->in[0].shape,
                               "the average", err));
    STK_TRY(stk_op_check_shape(&stk_graph_op_ema, instance, 2, &guard, "a guard", err));
    out[0] = instance->in[0];
    return STK_OK;
}

/* Starting from the parameter, as torch's AveragedModel, needs no bias correction. */
static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_ema_attrs *attrs = instance->attrs;
    const float         *average = in[0], *w = in[1], *guard = in[2];
    float               *to = out[0];
    float                weight = (float)(1 - attrs->decay), rest = (float)attrs->decay;
    int64_t              count = stk_type_elements(&instance->in[0]);
    if (guard[STK_GUARD_SKIP] != 0) {
        stk_update_copy_inputs(&stk_graph_op_ema, instance, in, out);
        return;
    }
    bool first = guard[STK_GUARD_STEPS] <= 1;
    for (int64_t i = 0; i < count; i++)
        to[i] = first ? w[i] : stk_lerp(average[i], w[i], weight, rest);
}

static void print(const void *attrs, char *text, size_t capacity)
{
    snprintf(text, capacity, "decay=%g", ((const stk_ema_attrs *)attrs)->decay);
}

const stk_graph_op stk_graph_op_ema = {
    .name = "ema",
    .inputs_min = 3,
    .inputs_max = 3,
    .outputs = 1,
    .attrs_size = sizeof(stk_ema_attrs),
    .inplace = {1},
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .reference = reference,
    .print = print,
};
