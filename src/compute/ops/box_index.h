/* Index arithmetic of a box within a tensor. */
#ifndef STK_COMPUTE_OPS_BOX_INDEX_H
#define STK_COMPUTE_OPS_BOX_INDEX_H

#include "compute/graph/graph_op.h"

/* Index in the full tensor of element index of the box, whose origin is start. */
static inline int64_t stk_box_at(int64_t index, const stk_shape *box, const stk_shape *full,
                                 const int64_t start[STK_MAX_RANK])
{
    int64_t at = 0, stride = 1;
    for (int d = box->rank - 1; d >= 0; d--) {
        at += (start[d] + index % box->dim[d]) * stride;
        index /= box->dim[d];
        stride *= full->dim[d];
    }
    return at;
}

#endif
