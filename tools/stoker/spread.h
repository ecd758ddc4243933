/* The middle of many measurements, and how far they are apart. */
#ifndef STK_TOOLS_SPREAD_H
#define STK_TOOLS_SPREAD_H

#include <stddef.h>

typedef struct stk_spread {
    double median, low, high; /* 10 and 90 % */
} stk_spread;

/* Sorts values. All 0 for none. */
stk_spread stk_spread_of(double *values, size_t count);

/* Seconds of a clock that only goes on. */
double stk_seconds_now(void);

#endif
