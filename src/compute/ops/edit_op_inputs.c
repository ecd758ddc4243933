/* Checks the inputs of edit ops. */
#include "compute/ops/edit_op_inputs.h"

stk_status stk_edits_check(const stk_graph_op *op, const stk_op_instance *instance, stk_error *err)
{
    const stk_tensor_type *images = &instance->in[0], *edits = &instance->in[1];
    char                   text[96];
    STK_TRY(stk_op_check_rank(op, instance, 0, 4, err));
    if (images->dtype != STK_DTYPE_U8)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name, "the images are %s, not uint8",
                        stk_dtype_name(images->dtype));
    if (images->shape.dim[3] != 1 && images->shape.dim[3] != 3)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                        "the images have %lld channels; there are edits for 1 and 3",
                        (long long)images->shape.dim[3]);
    if (images->shape.dim[1] > INT32_MAX || images->shape.dim[2] > INT32_MAX)
        return stk_fail(err, STK_E_LIMIT, op->name, instance->name,
                        "the images have shape %s; a side may have %d pixels",
                        stk_shape_text(&images->shape, text, sizeof text), INT32_MAX);
    if (edits->dtype != STK_DTYPE_I32 || edits->shape.rank != 2 ||
        edits->shape.dim[1] != STK_EDIT_WORDS)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                        "the edits are %s %s, not int32 [N,%d]", stk_dtype_name(edits->dtype),
                        stk_shape_text(&edits->shape, text, sizeof text), STK_EDIT_WORDS);
    return STK_OK;
}
