/* lookahead: slow weights follow a parameter, which is reset to them */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update.h"

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    stk_shape hyper = stk_shape_1d(STK_HYPER_COUNT);
    for (int i = 0; i < 3; i++)
        STK_TRY(stk_update_check_f32(&stk_graph_op_lookahead, instance, i, err));
    STK_TRY(stk_op_check_shape(&stk_graph_op_lookahead, instance, 1, &instance->in[0].shape,
                               "the slow copy", err));
    STK_TRY(stk_op_check_shape(&stk_graph_op_lookahead, instance, 2, &hyper, "hyper", err));
    out[0] = out[1] = instance->in[0];
    return STK_OK;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *slow = in[0], *w = in[1], *hyper = in[2];
    float       *to_slow = out[0], *to_w = out[1];
    float        rest = hyper[STK_HYPER_LOOKAHEAD], weight = 1 - rest;
    int64_t      count = stk_type_elements(&instance->in[0]);
    for (int64_t i = 0; i < count; i++)
        to_slow[i] = to_w[i] = stk_lerp(slow[i], w[i], weight, rest);
}

const stk_graph_op stk_graph_op_lookahead = {
    .name = "lookahead",
    .inputs_min = 3,
    .inputs_max = 3,
    .outputs = 2,
    .inplace = {1, 2},
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .reference = reference,
};
