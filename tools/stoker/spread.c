/* Median and spread of measurements. */
#include "spread.h"

#include <stdlib.h>
#include <time.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Interpolates between the two nearest values. */
static double at_quantile(const double *sorted, size_t count, double quantile)
{
    const double position = quantile * (double)(count - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

cli_spread cli_spread_of(double *values, size_t count)
{
    if (!count) return (cli_spread){0};
    qsort(values, count, sizeof *values, compare);
    return (cli_spread){at_quantile(values, count, 0.5), at_quantile(values, count, 0.1),
                        at_quantile(values, count, 0.9)};
}

double cli_seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
