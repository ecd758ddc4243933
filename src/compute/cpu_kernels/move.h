/* Copies a box of elements between any two orders of dimensions. */
#ifndef STK_COMPUTE_CPU_KERNELS_MOVE_H
#define STK_COMPUTE_CPU_KERNELS_MOVE_H

#include "compute/cpu_kernels/channel_tiling.h"

typedef struct stk_move {
    int     rank;
    int64_t dim[STK_MAX_RANK], src[STK_MAX_RANK], dst[STK_MAX_RANK]; /* strides in elements */
    size_t  element;                                                 /* bytes */
} stk_move;

/* Row-major strides of a shape. */
void stk_move_strides(const stk_shape *shape, int64_t stride[STK_MAX_RANK]);
/* Copies the box on all threads. */
void stk_move_run(const stk_cpu *cpu, const stk_move *move, const void *src, void *dst);

/* A tensor's shape in memory, row-major: a blocked image is [N,C/b,H,W*b]. */
stk_shape stk_shape_in_memory(const stk_tensor_type *type, stk_format format);

#endif
