/* Detectors of anomalies in one metric series: pure functions. False: nothing found. */
#ifndef STK_OBSERVE_USAGE_DETECT_H
#define STK_OBSERVE_USAGE_DETECT_H

#include "observe/usage/metric_series.h"

/* Repeated drops below half of the median. */
typedef struct stk_dips {
    size_t count;
    double fraction; /* of the time between first and last work */
    double typical;  /* the median */
    double period_s; /* if regular; else -1 */
} stk_dips;
/* min: a median below this is no work that could dip. */
bool stk_detect_dips(const stk_metric_series *series, double min, stk_dips *out);

/* Growth to the end, beyond noise and warm-up. */
bool stk_detect_leak(const stk_metric_series *bytes, stk_trend *out);

/* Traffic in bursts with idle time between. */
typedef struct stk_bursts {
    size_t count;
    double duty; /* fraction of the time with traffic */
    double rate; /* median during bursts */
} stk_bursts;
bool stk_detect_bursts(const stk_metric_series *rate, stk_bursts *out);

/* Each burst is larger than the previous ones: a growing file that is rewritten. */
typedef struct stk_growth {
    size_t count;
    double first, last; /* bytes per burst, on the fitted line */
} stk_growth;
bool stk_detect_growth(const stk_metric_series *rate, stk_growth *out);

/* Work starts late: seconds until then. */
bool stk_detect_late(const stk_metric_series *series, double min, double *seconds);

/* Missing samples: seconds of the longest gap. */
bool stk_detect_gap(const stk_metric_series *series, double *seconds);

#endif
