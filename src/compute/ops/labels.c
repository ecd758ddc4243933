/* Shared by losses and metrics: reads labels. */
#include "compute/ops/labels.h"

stk_status stk_labels_check(const stk_graph_op *op, const stk_op_instance *instance, stk_error *err)
{
    const stk_tensor_type *labels = &instance->in[1];
    const stk_shape       *logits = &instance->in[0].shape;
    char                   text[96];
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    STK_TRY(stk_op_check_rank(op, instance, 0, 2, err));
    if (logits->dim[1] == 0)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name, "logits %s have no classes",
                        stk_shape_text(logits, text, sizeof text));
    stk_shape rows = stk_shape_1d(logits->dim[0]);
    if (stk_labels_are_numbers(labels))
        return stk_op_check_shape(op, instance, 1, &rows, "one class number for each row", err);
    if (labels->dtype == STK_DTYPE_F32)
        return stk_op_check_shape(op, instance, 1, logits, "probabilities for each row", err);
    return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                    "labels are %s; they must be int32 or int64 numbers or float32 probabilities",
                    stk_dtype_name(labels->dtype));
}

static int64_t largest(const float *row, int64_t count)
{
    int64_t best = 0;
    for (int64_t k = 1; k < count; k++)
        if (row[k] > row[best]) best = k;
    return best;
}

int64_t stk_labels_at(const stk_tensor_type *type, const void *labels, int64_t row, int64_t classes)
{
    if (!stk_labels_are_numbers(type))
        return largest((const float *)labels + row * classes, classes);
    int64_t label = type->dtype == STK_DTYPE_I32 ? ((const int32_t *)labels)[row]
                                                 : ((const int64_t *)labels)[row];
    return label >= 0 && label < classes ? label : -1;
}
