/* loss_scale: reads the loss scale from the guard's state. A slice would not do: it may become 16
 * bits, and 65536 overflows float16. */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update.h"

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    stk_shape state = stk_shape_1d(STK_STATE_COUNT);
    STK_TRY(stk_update_check_f32(&stk_graph_op_loss_scale, instance, 0, err));
    STK_TRY(stk_op_check_shape(&stk_graph_op_loss_scale, instance, 0, &state, "the state", err));
    out[0] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_scalar()};
    return STK_OK;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    (void)instance;
    *(float *)out[0] = ((const float *)in[0])[STK_STATE_SCALE];
}

const stk_graph_op stk_graph_op_loss_scale = {
    .name = "loss_scale",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .reference = reference,
};
