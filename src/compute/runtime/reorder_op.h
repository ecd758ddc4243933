/* reorder(x): the same tensor in another format. Inserted by layout assignment. */
#ifndef STK_COMPUTE_RUNTIME_REORDER_OP_H
#define STK_COMPUTE_RUNTIME_REORDER_OP_H

#include "compute/runtime/backend.h"

typedef struct stk_reorder_attrs {
    stk_format from, to;
} stk_reorder_attrs;

extern const stk_graph_op stk_graph_op_reorder;
/* Calls the backend's reorder. */
extern const stk_kernel stk_kernel_reorder;

#endif
