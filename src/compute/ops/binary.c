/* Shared by add, sub and mul. */
#include "compute/ops/binary.h"
#include "compute/ops/broadcast_index.h"
#include <stoker/ops.h>

stk_status stk_binary_infer(const stk_graph_op *op, const stk_op_instance *instance,
                            stk_tensor_type *out, stk_error *err)
{
    const stk_tensor_type *a = &instance->in[0], *b = &instance->in[1];
    char                   ta[96], tb[96];
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    if (a->dtype != b->dtype)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name, "operands are %s and %s",
                        stk_dtype_name(a->dtype), stk_dtype_name(b->dtype));
    out[0].dtype = a->dtype;
    if (stk_broadcast_shapes(&a->shape, &b->shape, &out[0].shape)) return STK_OK;
    return stk_fail(err, STK_E_SHAPE, op->name, instance->name, "shapes %s and %s do not fit",
                    stk_shape_text(&a->shape, ta, sizeof ta),
                    stk_shape_text(&b->shape, tb, sizeof tb));
}

void stk_binary_reference(const stk_op_instance *instance, const void *const *in, void *const *out,
                          float (*combine)(float a, float b))
{
    const float     *a = in[0], *b = in[1];
    float           *y = out[0];
    const stk_shape *full = &instance->out[0].shape;
    int64_t          sa[STK_MAX_RANK], sb[STK_MAX_RANK];
    int64_t          count = stk_type_elements(&instance->out[0]);
    stk_broadcast_strides(&instance->in[0].shape, full, sa);
    stk_broadcast_strides(&instance->in[1].shape, full, sb);
    for (int64_t i = 0; i < count; i++)
        y[i] = combine(a[stk_broadcast_at(i, full, sa)], b[stk_broadcast_at(i, full, sb)]);
}

stk_symbol stk_binary_gradient_for(stk_graph *g, stk_symbol gradient, stk_symbol operand)
{
    stk_shape full = stk_symbol_shape(g, gradient), narrow = stk_symbol_shape(g, operand);
    if (stk_shape_equal(&full, &narrow)) return gradient;
    unsigned axes = 0;
    for (int i = 0; i < full.rank; i++) {
        int at = i - (full.rank - narrow.rank);
        if (at < 0 || (narrow.dim[at] == 1 && full.dim[i] != 1)) axes |= 1u << i;
    }
    return stk_reshape(g, stk_reduce_sum(g, gradient, axes, true), narrow);
}
