/* Sums of squares of whole tensors, in pieces that do not depend on the number of threads. */
#ifndef STK_COMPUTE_CPU_KERNELS_SQUARES_H
#define STK_COMPUTE_CPU_KERNELS_SQUARES_H

#include "compute/cpu_kernels/channel_tiling.h"

/* Of scratch, for count elements. */
size_t stk_squares_bytes(int64_t count);
/* The sum of (x * multiply)^2 over the finite elements; the others are counted in *not_finite,
 * which may be NULL. */
double stk_squares(const stk_cpu *cpu, const float *x, int64_t count, float multiply, void *scratch,
                   double *not_finite);

#endif
