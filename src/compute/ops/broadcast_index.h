/* Index arithmetic of broadcasting, as in NumPy. */
#ifndef STK_COMPUTE_OPS_BROADCAST_INDEX_H
#define STK_COMPUTE_OPS_BROADCAST_INDEX_H

#include "compute/graph/graph_op.h"

/* The broadcast shape of both; false if they are incompatible. */
static inline bool stk_broadcast_shapes(const stk_shape *a, const stk_shape *b, stk_shape *out)
{
    int rank = a->rank > b->rank ? a->rank : b->rank;
    *out = (stk_shape){.rank = rank};
    for (int i = 1; i <= rank; i++) {
        int64_t da = i <= a->rank ? a->dim[a->rank - i] : 1;
        int64_t db = i <= b->rank ? b->dim[b->rank - i] : 1;
        if (da != db && da != 1 && db != 1) return false;
        out->dim[rank - i] = da == 1 ? db : da;
    }
    return true;
}

/* Strides of narrow, in elements, along the dimensions of full: 0 where it is repeated. */
static inline void stk_broadcast_strides(const stk_shape *narrow, const stk_shape *full,
                                         int64_t stride[STK_MAX_RANK])
{
    int64_t row_stride = 1;
    for (int i = 1; i <= full->rank; i++) {
        int64_t dim = i <= narrow->rank ? narrow->dim[narrow->rank - i] : 1;
        stride[full->rank - i] = dim == 1 ? 0 : row_stride;
        row_stride *= dim;
    }
}

/* Index in the narrow tensor of element index of the full one. */
static inline int64_t stk_broadcast_at(int64_t index, const stk_shape *full,
                                       const int64_t stride[STK_MAX_RANK])
{
    int64_t at = 0;
    for (int d = full->rank - 1; d >= 0; d--) {
        at += index % full->dim[d] * stride[d];
        index /= full->dim[d];
    }
    return at;
}

#endif
