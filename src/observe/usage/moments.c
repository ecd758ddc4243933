/* Detects a late start of work, and gaps in the samples. */
#include "observe/usage/detect.h"

static const double late_s = 10, late_fraction = 0.1; /* both: a long run may start slowly */
static const double gap_s = 5, gap_times = 5;         /* of the mean interval between samples */

bool stk_detect_late(const stk_metric_series *series, double min, double *seconds)
{
    *seconds = -1;
    for (size_t i = 0; i < series->count; i++) {
        if (stk_metric_series_at(series, i) < min) continue;
        *seconds = series->samples[i].seconds - stk_metric_series_seconds(series, i);
        const double run = series->samples[series->count - 1].seconds;
        return *seconds >= late_s && *seconds >= late_fraction * run;
    }
    return false;
}

bool stk_detect_gap(const stk_metric_series *series, double *seconds)
{
    double longest = 0, sum = 0;
    *seconds = 0;
    if (series->count < 4) return false;
    for (size_t i = 1; i < series->count; i++) {
        const double period = stk_metric_series_seconds(series, i);
        sum += period;
        if (period > longest) longest = period;
    }
    const double typical = (sum - longest) / (double)(series->count - 2);
    *seconds = longest;
    return longest > gap_s && longest > gap_times * typical;
}
