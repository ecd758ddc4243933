/* accumulate: sum + g; the sum is float32 for any type of g */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update.h"

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_accumulate;
    STK_TRY(stk_update_check_f32(op, instance, 0, err));
    STK_TRY(stk_op_check_float(op, instance, 1, err));
    STK_TRY(stk_op_check_shape(op, instance, 1, &instance->in[0].shape, "the sum", err));
    out[0] = instance->in[0];
    return STK_OK;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *sum = in[0], *g = in[1];
    float       *to = out[0];
    int64_t      count = stk_type_elements(&instance->in[0]);
    for (int64_t i = 0; i < count; i++)
        to[i] = sum[i] + g[i];
}

const stk_graph_op stk_graph_op_accumulate = {
    .name = "accumulate",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .inplace = {1},
    .precision = STK_PRECISION_KEEP,
    .reads_half = stk_update_reads_half,
    .infer = infer,
    .reference = reference,
};
