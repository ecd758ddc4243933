/* Sums of squares of tensors, in chunks that do not depend on the number of threads. */
#ifndef STK_COMPUTE_CPU_KERNELS_SQUARES_H
#define STK_COMPUTE_CPU_KERNELS_SQUARES_H

#include "compute/cpu_kernels/channel_tiling.h"

/* Scratch bytes for count elements. */
size_t stk_squares_bytes(int64_t count);
/* Sum of (x * multiply)^2 over finite elements. The others are counted in *not_finite, which may be
 * NULL. */
double stk_squares(const stk_cpu *cpu, const float *x, int64_t count, float multiply, void *scratch,
                   double *not_finite);

#endif
