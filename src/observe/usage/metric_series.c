/* Quantiles, means and ranges of a metric series. */
#include "observe/usage/metric_series.h"

#include <stdlib.h>

enum { SORTED = 2048 }; /* longer series are subsampled */

double stk_metric_series_at(const stk_metric_series *series, size_t index)
{
    const stk_resource_sample *s = &series->samples[index];
    if (!series->gpus) return *(const double *)(const void *)((const char *)s + series->offset);
    double sum = 0;
    int    known = 0;
    for (int i = 0; i < s->gpu_count; i++) {
        const char  *gpu = (const char *)&s->gpus[i];
        const double value = *(const double *)(const void *)(gpu + series->offset);
        if (!(series->gpus >> i & 1) || value < 0) continue;
        sum += value;
        known++;
    }
    return known ? sum / known : -1;
}

double stk_metric_series_seconds(const stk_metric_series *series, size_t index)
{
    const stk_resource_sample *s = series->samples;
    if (series->count < 2) return 0;
    return index ? s[index].seconds - s[index - 1].seconds : s[1].seconds - s[0].seconds;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stk_metric_series_quantile(const stk_metric_series *series, double fraction)
{
    double       sorted[SORTED];
    const size_t stride = series->count / SORTED + 1;
    size_t       count = 0;
    for (size_t i = 0; i < series->count && count < SORTED; i += stride) {
        const double value = stk_metric_series_at(series, i);
        if (value >= 0) sorted[count++] = value;
    }
    if (!count) return -1;
    qsort(sorted, count, sizeof *sorted, ascending);
    const double position = fraction * (double)(count - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Weighted by time: intervals may differ. */
double stk_metric_series_mean(const stk_metric_series *series)
{
    double sum = 0, seconds = 0;
    for (size_t i = 0; i < series->count; i++) {
        const double value = stk_metric_series_at(series, i),
                     period = stk_metric_series_seconds(series, i);
        if (value < 0) continue;
        sum += value * period;
        seconds += period;
    }
    return seconds > 0 ? sum / seconds : series->count ? stk_metric_series_at(series, 0) : -1;
}

double stk_metric_series_peak(const stk_metric_series *series)
{
    double peak = -1;
    for (size_t i = 0; i < series->count; i++)
        if (stk_metric_series_at(series, i) > peak) peak = stk_metric_series_at(series, i);
    return peak;
}

stk_metric_series stk_metric_series_trim(const stk_metric_series *series, double min)
{
    stk_metric_series part = *series;
    while (part.count && stk_metric_series_at(&part, part.count - 1) < min)
        part.count--;
    while (part.count && stk_metric_series_at(&part, 0) < min) {
        part.samples++;
        part.count--;
    }
    return part;
}

double stk_metric_series_fraction_above(const stk_metric_series *series, double min)
{
    size_t known = 0, above = 0;
    for (size_t i = 0; i < series->count; i++) {
        const double value = stk_metric_series_at(series, i);
        known += value >= 0;
        above += value >= 0 && value >= min;
    }
    return known ? (double)above / (double)known : -1;
}
