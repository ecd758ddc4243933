/* Rows of softmax and its loss, for widths.h. */
#include "compute/cpu_kernels/log_sum_loops.h"

TARGET static void FN(softmax)(const float *x, float *y, int64_t count)
{
    float row_max = FN(largest)(x, count);
    V     sum = FN(all)(0);
    OVER(count, {
        V e = FN(vec_exp)(FN(load_or)(x + i, n, -INFINITY) - row_max);
        sum += e;
        FN(store)(y + i, n, e);
    });
    float by = 1 / FN(total)(sum);
    OVER(count, FN(store)(y + i, n, FN(load)(y + i, n) * by));
}

TARGET static void FN(softmax_back)(const float *dy, const float *y, float *dx, int64_t count)
{
    V sum = FN(all)(0);
    OVER(count, sum += FN(load)(dy + i, n) * FN(load)(y + i, n));
    float dot = FN(total)(sum);
    OVER(count, FN(store)(dx + i, n, FN(load)(y + i, n) * (FN(load)(dy + i, n) - dot)));
}

/* Sum of x - row_max. */
TARGET static float FN(sum_below)(const float *x, int64_t count, float row_max)
{
    V sum = FN(all)(0);
    OVER(count, sum += FN(load_or)(x + i, n, row_max) - row_max);
    return FN(total)(sum);
}

/* Sums of p and p (x - row_max); 0 times an infinite loss is 0. */
TARGET static void FN(weigh)(const float *x, const float *p_, int64_t count, float row_max,
                             float *weight, float *with_x)
{
    V sum = FN(all)(0), dot = FN(all)(0);
    OVER(count, {
        V p = FN(load)(p_ + i, n);
        sum += p;
        dot += FN(keep)(p != 0, p * (FN(load)(x + i, n) - row_max));
    });
    *weight = FN(total)(sum);
    *with_x = FN(total)(dot);
}

/* dx = e^(x - row_max) scale - p by - plus; p may be NULL. */
TARGET static void FN(loss_back)(const float *x, const float *p, float *dx, int64_t count,
                                 float row_max, float scale, float by, float offset)
{
    if (p)
        OVER(count, FN(store)(dx + i, n,
                              FN(vec_exp)(FN(load)(x + i, n) - row_max) * scale -
                                  (FN(load)(p + i, n) * by + offset)));
    else
        OVER(count,
             FN(store)(dx + i, n, FN(vec_exp)(FN(load)(x + i, n) - row_max) * scale - offset));
}
