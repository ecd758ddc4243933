/* Detects slow steps against the median of recent ones. */
#ifndef STK_OBSERVE_TIMELINE_SLOW_STEP_H
#define STK_OBSERVE_TIMELINE_SLOW_STEP_H

#include <stdbool.h>
#include <stdint.h>

enum { STK_SLOW_STEPS = 50, STK_SLOW_MIN = 10 };

/* Zero-initialised: no steps. */
typedef struct stk_slow_step {
    uint64_t last[STK_SLOW_STEPS]; /* ring, in order of arrival */
    uint64_t sorted[STK_SLOW_STEPS];
    int      count, next;
} stk_slow_step;

/* Median of the recent steps; 0 before there are enough. */
uint64_t stk_slow_step_median(const stk_slow_step *steps);
void     stk_slow_step_add(stk_slow_step *steps, uint64_t ns);

#endif
