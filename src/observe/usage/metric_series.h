/* One metric over time, extracted from samples. */
#ifndef STK_OBSERVE_USAGE_METRIC_SERIES_H
#define STK_OBSERVE_USAGE_METRIC_SERIES_H

#include <stoker/resources.h>

typedef struct stk_metric_series {
    const stk_resource_sample *samples;
    size_t                     count;
    size_t                     offset; /* of a double in a sample, or in a GPU's sample */
    unsigned                   gpus;   /* bit mask: mean over these; 0: of the sample itself */
} stk_metric_series;

/* Negative: not known. */
double stk_metric_series_at(const stk_metric_series *series, size_t index);
/* Time that the sample covers. */
double stk_metric_series_seconds(const stk_metric_series *series, size_t index);
/* A quantile of the known values; -1: none is known. */
double stk_metric_series_quantile(const stk_metric_series *series, double fraction);
double stk_metric_series_mean(const stk_metric_series *series);
double stk_metric_series_peak(const stk_metric_series *series);
/* The range from the first to the last sample of at least min. */
stk_metric_series stk_metric_series_trim(const stk_metric_series *series, double min);
/* Fraction of the known samples of at least min; -1: none is known. */
double stk_metric_series_fraction_above(const stk_metric_series *series, double min);

/* A Theil-Sen line: the median of the slopes between any two points. Robust to outliers such as a
 * checkpoint. The bounds are a 95 % interval by Kendall's statistic. */
typedef struct stk_trend {
    double slope, low, high;
    size_t points; /* fewer than 4: no bounds, all 0 */
} stk_trend;

enum { STK_TREND_POINTS = 96 };

/* count is at most STK_TREND_POINTS. */
stk_trend stk_trend_of(const double *x, const double *y, size_t count);
/* Of a series over its seconds, in means of neighbours. */
stk_trend stk_metric_series_trend(const stk_metric_series *series);

#endif
