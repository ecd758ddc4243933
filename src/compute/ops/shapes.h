/* Attributes of ops that move, create or reduce elements. */
#ifndef STK_COMPUTE_OPS_SHAPES_H
#define STK_COMPUTE_OPS_SHAPES_H

#include "compute/graph/graph_op.h"

/* Bytes of an element in a reference, where 16-bit floats are float32. */
static inline size_t stk_reference_element(stk_dtype dtype)
{
    bool half = dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16;
    return half ? sizeof(float) : stk_dtype_bytes(dtype);
}

typedef struct stk_shape_attrs { /* reshape, broadcast: the shape of the result */
    stk_shape shape;
} stk_shape_attrs;

typedef struct stk_transpose_attrs { /* output dimension i is input dimension order[i] */
    int rank, order[STK_MAX_RANK];
} stk_transpose_attrs;

typedef struct stk_concat_attrs {
    int axis;
} stk_concat_attrs;

typedef struct stk_slice_attrs {
    int64_t start[STK_MAX_RANK], size[STK_MAX_RANK];
} stk_slice_attrs;

typedef struct stk_pad_attrs {
    int64_t before[STK_MAX_RANK], after[STK_MAX_RANK];
    double  value;
} stk_pad_attrs;

typedef struct stk_reduce_attrs { /* reduce_sum, reduce_mean */
    unsigned axes;                /* bit set; 0 for scalars only */
    int      keep;
} stk_reduce_attrs;

typedef struct stk_fill_attrs {
    stk_shape shape;
    int       dtype, unused;
    double    value;
} stk_fill_attrs;

typedef struct stk_scale_attrs {
    double scale, shift;
} stk_scale_attrs;

typedef struct stk_cast_attrs {
    int dtype;
} stk_cast_attrs;

typedef struct stk_upsample_attrs {
    int factor, kind;
} stk_upsample_attrs;

#endif
