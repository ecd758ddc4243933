/* One quantity over time, out of samples. */
#ifndef STK_OBSERVE_USAGE_METRIC_SERIES_H
#define STK_OBSERVE_USAGE_METRIC_SERIES_H

#include <stoker/resources.h>

typedef struct stk_metric_series {
    const stk_resource_sample *samples;
    size_t                     count;
    size_t                     offset; /* of a double: in a sample, or in a GPU's */
    unsigned                   gpus;   /* bits: their mean; 0: of the sample itself */
} stk_metric_series;

/* Negative: not known. */
double stk_metric_series_at(const stk_metric_series *series, size_t index);
/* How long the sample stands for. */
double stk_metric_series_seconds(const stk_metric_series *series, size_t index);
/* The value below which share of those known lie; -1: none is. */
double stk_metric_series_quantile(const stk_metric_series *series, double fraction);
double stk_metric_series_mean(const stk_metric_series *series);
double stk_metric_series_peak(const stk_metric_series *series);
/* From the first to the last sample that reaches least: without what comes before and after. */
stk_metric_series stk_metric_series_trim(const stk_metric_series *series, double min);
/* Share of the known samples that are at least so much; -1: none is known. */
double stk_metric_series_fraction_above(const stk_metric_series *series, double min);

/* A line through points, by the median of the slopes between any two: Theil and Sen. Outliers, such
 * as a checkpoint, do not move it. The bounds hold with 95 %, by Kendall's statistic. */
typedef struct stk_trend {
    double slope, low, high;
    size_t points; /* fewer than 4: no bounds, all 0 */
} stk_trend;

enum { STK_TREND_POINTS = 96 };

/* count is at most STK_TREND_POINTS. */
stk_trend stk_trend_of(const double *x, const double *y, size_t count);
/* Of a track: over the seconds, in means of neighbours. */
stk_trend stk_metric_series_trend(const stk_metric_series *series);

#endif
