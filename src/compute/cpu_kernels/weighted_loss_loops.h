/* Rows of weighted_cross_entropy, for widths.h. */
#include "compute/cpu_kernels/log_sum_loops.h"

/* dx = e^(x - row_max) scale */
TARGET static void FN(exp_times)(const float *x, float *dx, int64_t count, float row_max,
                                 float scale)
{
    OVER(count, FN(store)(dx + i, n, FN(vec_exp)(FN(load)(x + i, n) - row_max) * scale));
}
