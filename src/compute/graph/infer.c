/* Checks shared by shape rules. */
#include "compute/graph/graph_op.h"

stk_status stk_op_check_rank(const stk_graph_op *op, const stk_op_instance *instance, int which,
                             int rank, stk_error *err)
{
    char text[96];
    if (instance->in[which].shape.rank == rank) return STK_OK;
    return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                    "input %d has shape %s; it takes %d dimensions", which,
                    stk_shape_text(&instance->in[which].shape, text, sizeof text), rank);
}

stk_status stk_op_check_float(const stk_graph_op *op, const stk_op_instance *instance, int which,
                              stk_error *err)
{
    stk_dtype dtype = instance->in[which].dtype;
    if (dtype == STK_DTYPE_F32 || dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16) return STK_OK;
    return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                    "input %d is %s; it takes float32, float16 or bfloat16 (see stk_cast)", which,
                    stk_dtype_name(dtype));
}

stk_status stk_op_check_shape(const stk_graph_op *op, const stk_op_instance *instance, int which,
                              const stk_shape *shape, const char *like, stk_error *err)
{
    char a[96], b[96];
    if (stk_shape_equal(&instance->in[which].shape, shape)) return STK_OK;
    return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                    "input %d has shape %s but must have %s, as %s", which,
                    stk_shape_text(&instance->in[which].shape, a, sizeof a),
                    stk_shape_text(shape, b, sizeof b), like);
}

bool stk_op_is_vector(const stk_op_instance *instance, int input)
{
    return input > 0 && instance->in[input].shape.rank == 1;
}

bool stk_op_is_smaller(const stk_op_instance *instance, int input)
{
    return instance->in[input].shape.rank < instance->in[0].shape.rank;
}

stk_status stk_op_infer_same(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    (void)err;
    out[0] = instance->in[0];
    return STK_OK;
}
