/* The slope of a series with its interval. */
#include "observe/usage/metric_series.h"

#include <math.h>
#include <stdlib.h>

enum { SLOPES = STK_TREND_POINTS * (STK_TREND_POINTS - 1) / 2 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

stk_trend stk_trend_of(const double *x, const double *y, size_t count)
{
    double slopes[SLOPES];
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (x[j] > x[i]) slopes[all++] = (y[j] - y[i]) / (x[j] - x[i]);
    if (count < 4 || !all) return (stk_trend){.points = count};
    qsort(slopes, all, sizeof *slopes, ascending);
    const double n = (double)count;
    const double spread = 1.96 * sqrt(n * (n - 1) * (2 * n + 5) / 18);
    const double low = ((double)all - spread) / 2, high = ((double)all + spread) / 2;
    stk_trend    trend = {.points = count};
    trend.slope = all % 2 ? slopes[all / 2] : (slopes[all / 2 - 1] + slopes[all / 2]) / 2;
    trend.low = slopes[low > 0 ? (size_t)low : 0];
    trend.high = slopes[high < (double)(all - 1) ? (size_t)high : all - 1];
    return trend;
}

/* Averages neighbours: that reduces both autocorrelation and the number of points. */
stk_trend stk_metric_series_trend(const stk_metric_series *series)
{
    double       x[STK_TREND_POINTS], y[STK_TREND_POINTS];
    const size_t group = (series->count + STK_TREND_POINTS - 1) / STK_TREND_POINTS;
    size_t       points = 0;
    for (size_t i = 0; i < series->count; i += group) {
        double sum_x = 0, sum_y = 0;
        int    known = 0;
        for (size_t j = i; j < i + group && j < series->count; j++) {
            const double value = stk_metric_series_at(series, j);
            if (value < 0) continue;
            sum_x += series->samples[j].seconds;
            sum_y += value;
            known++;
        }
        if (!known) continue;
        x[points] = sum_x / known;
        y[points++] = sum_y / known;
    }
    return stk_trend_of(x, y, points);
}
