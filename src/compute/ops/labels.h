/* Labels of losses and metrics: class indices, int32 or int64 [N], or probabilities, float32
 * [N,K]. */
#ifndef STK_COMPUTE_OPS_LABELS_H
#define STK_COMPUTE_OPS_LABELS_H

#include "compute/graph/graph_op.h"

static inline bool stk_labels_are_numbers(const stk_tensor_type *labels)
{
    return labels->dtype == STK_DTYPE_I32 || labels->dtype == STK_DTYPE_I64;
}

/* Checks that input 0 is logits [N,K] with K > 0 and input 1 matching labels. */
stk_status stk_labels_check(const stk_graph_op *op, const stk_op_instance *instance,
                            stk_error *err);
/* Class of a row, or -1 for an index out of range, which excludes the row. For probabilities it is
 * the first of the largest. */
int64_t stk_labels_at(const stk_tensor_type *type, const void *labels, int64_t row,
                      int64_t classes);

#endif
