/* matmul(a, b, [bias]) -> y: [..,m,k] x [..,k,n] + bias[n], then the activation. Leading dimensions
 * are equal, or b has none and those of a are rows. */
#ifndef STK_COMPUTE_OPS_MATMUL_H
#define STK_COMPUTE_OPS_MATMUL_H

#include "compute/ops/activation.h"

typedef struct stk_matmul_attrs {
    int            transpose_a, transpose_b;
    stk_activation act;
} stk_matmul_attrs;

typedef struct stk_matmul_shape {
    int64_t batch, m, n, k; /* batch GEMMs of [m,k] x [k,n]; for a single b, batch is 1 */
} stk_matmul_shape;

stk_matmul_shape stk_matmul_shape_of(const stk_op_instance *instance);

#endif
