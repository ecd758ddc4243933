/* What is not as it should be in one quantity over time: pure functions. False: nothing was found.
 */
#ifndef STK_OBSERVE_USAGE_DETECT_H
#define STK_OBSERVE_USAGE_DETECT_H

#include "observe/usage/metric_series.h"

/* Falls to less than half of the usual, again and again. */
typedef struct stk_dips {
    size_t count;
    double fraction; /* of the time between first and last work */
    double typical;  /* the median */
    double period_s; /* between them, where it is regular; else -1 */
} stk_dips;
/* least: a usual value below this is no work that could dip. */
bool stk_detect_dips(const stk_metric_series *series, double min, stk_dips *out);

/* Grows to the end, by more than noise and warm-up do. */
bool stk_detect_leak(const stk_metric_series *bytes, stk_trend *out);

/* Comes in bursts with nothing between. */
typedef struct stk_bursts {
    size_t count;
    double duty; /* share of the time that something comes */
    double rate; /* the median while it comes */
} stk_bursts;
bool stk_detect_bursts(const stk_metric_series *rate, stk_bursts *out);

/* Every burst carries more than those before: a file that is written anew as it grows. */
typedef struct stk_growth {
    size_t count;
    double first, last; /* bytes a burst, by the line through them */
} stk_growth;
bool stk_detect_growth(const stk_metric_series *rate, stk_growth *out);

/* Work begins late: seconds until it did. */
bool stk_detect_late(const stk_metric_series *series, double min, double *seconds);

/* No sample for much longer than usual: seconds of the longest such time. */
bool stk_detect_gap(const stk_metric_series *series, double *seconds);

#endif
