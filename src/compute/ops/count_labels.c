/* count_labels: number of rows with a label */
#include "compute/ops/graph_ops.h"
#include "compute/ops/labels.h"
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_tensor_type *labels = &instance->in[0];
    bool                   numbers = stk_labels_are_numbers(labels);
    if (!numbers && labels->dtype != STK_DTYPE_F32)
        return stk_fail(err, STK_E_TYPE, "count_labels", instance->name,
                        "labels are %s; they must be int32 or int64 numbers or float32 "
                        "probabilities",
                        stk_dtype_name(labels->dtype));
    STK_TRY(stk_op_check_rank(&stk_graph_op_count_labels, instance, 0, numbers ? 1 : 2, err));
    out[0] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_scalar()};
    return STK_OK;
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 1);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_tensor_type *labels = &instance->in[0];
    int64_t                rows = labels->shape.dim[0], count = 0;
    for (int64_t row = 0; row < rows; row++)
        count +=
            !stk_labels_are_numbers(labels) || stk_labels_at(labels, in[0], row, INT64_MAX) >= 0;
    *(float *)out[0] = (float)count;
}

const stk_graph_op stk_graph_op_count_labels = {
    .name = "count_labels",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .cost = cost,
    .reference = reference,
};

stk_symbol stk_count_labels(stk_graph *g, stk_symbol labels)
{
    return stk_graph_add1(g, &stk_graph_op_count_labels, labels, NULL);
}
