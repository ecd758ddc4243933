/* Median and spread of measurements. */
#ifndef CLI_TOOLS_SPREAD_H
#define CLI_TOOLS_SPREAD_H

#include <stddef.h>

typedef struct cli_spread {
    double median, low, high; /* 10 % and 90 % quantiles */
} cli_spread;

/* Sorts values. All 0 if count is 0. */
cli_spread cli_spread_of(double *values, size_t count);

/* Monotonic seconds. */
double cli_seconds_now(void);

#endif
