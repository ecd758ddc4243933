/* Labels of losses and metrics: class numbers, int32 or int64 [N], or probabilities, float32 [N,K].
 */
#ifndef STK_COMPUTE_OPS_LABELS_H
#define STK_COMPUTE_OPS_LABELS_H

#include "compute/graph/graph_op.h"

static inline bool stk_labels_are_numbers(const stk_tensor_type *labels)
{
    return labels->dtype == STK_DTYPE_I32 || labels->dtype == STK_DTYPE_I64;
}

/* Input 0 is logits [N,K], at least one class; input 1 labels that fit them. */
stk_status stk_labels_check(const stk_graph_op *op, const stk_op_instance *instance,
                            stk_error *err);
/* The class of a row; -1 for a number that is none of the classes: the row does not count. Of
 * probabilities it is the largest, the first of equal ones. */
int64_t stk_labels_at(const stk_tensor_type *type, const void *labels, int64_t row,
                      int64_t classes);

#endif
