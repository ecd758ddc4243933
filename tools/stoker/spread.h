/* The middle of many measurements, and how far they are apart. */
#ifndef CLI_TOOLS_SPREAD_H
#define CLI_TOOLS_SPREAD_H

#include <stddef.h>

typedef struct cli_spread {
    double median, low, high; /* 10 and 90 % */
} cli_spread;

/* Sorts values. All 0 for none. */
cli_spread cli_spread_of(double *values, size_t count);

/* Seconds of a clock that only goes on. */
double cli_seconds_now(void);

#endif
