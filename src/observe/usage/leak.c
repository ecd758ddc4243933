/* Detects leaks: memory that grows until the end of the run. */
#include "observe/usage/detect.h"

enum { SAMPLES_MIN = 40, WARMUP = 4 }; /* the first quarter is warm-up: caches, pools, queues */

static const double fraction_min = 0.05; /* of total memory, over the analysed time */
static const double bytes_min = 8 << 20; /* allocators fluctuate by less */

static double median_of_part(const stk_metric_series *series, size_t begin, size_t end)
{
    stk_metric_series part = *series;
    part.samples += begin;
    part.count = end - begin;
    return stk_metric_series_quantile(&part, 0.5);
}

/* A slope alone would also flag a step or a slow start. Growth must continue in every third of the
 * time, and in the last half at no less than a quarter of the overall rate. */
bool stk_detect_leak(const stk_metric_series *bytes, stk_trend *out)
{
    stk_metric_series part = *bytes, half;
    *out = (stk_trend){0};
    if (bytes->count < SAMPLES_MIN) return false;
    part.samples += bytes->count / WARMUP;
    part.count -= bytes->count / WARMUP;
    half = part;
    half.samples += part.count / 2;
    half.count -= part.count / 2;
    *out = stk_metric_series_trend(&part);
    const stk_trend late = stk_metric_series_trend(&half);
    const size_t    third = part.count / 3;
    const double a = median_of_part(&part, 0, third), b = median_of_part(&part, third, 2 * third);
    const double c = median_of_part(&part, 2 * third, part.count);
    const double seconds = part.samples[part.count - 1].seconds - part.samples[0].seconds;
    const double grown = out->low * seconds;
    return out->low > 0 && late.low > 0 && late.slope > out->slope / 4 && a < b && b < c &&
           grown > bytes_min && grown > fraction_min * a;
}
