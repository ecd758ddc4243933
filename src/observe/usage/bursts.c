/* Detects bursts: intermittent traffic, and output that grows. */
#include "observe/usage/detect.h"

enum { SAMPLES_MIN = 20, BURSTS_MIN = 4, BURSTS_MAX = STK_TREND_POINTS };

static const double rate_min = 1e6; /* bytes per second; less is ignored */
static const double quiet = 0.1;    /* of the peak: no traffic */
static const double duty_min = 0.03, duty_max = 0.6;
static const double grown = 1.5; /* last burst relative to the first */

/* Finds consecutive bursts. Returns how many; bytes of the first BURSTS_MAX are written. */
static size_t find_bursts(const stk_metric_series *rate, double limit, double *bytes, double *on_s,
                          double *all_s)
{
    size_t count = 0;
    bool   inside = false;
    *on_s = *all_s = 0;
    for (size_t i = 0; i < rate->count; i++) {
        const double value = stk_metric_series_at(rate, i),
                     seconds = stk_metric_series_seconds(rate, i);
        const bool on = value >= limit;
        *all_s += seconds;
        if (on) *on_s += seconds;
        if (on && !inside && count++ < BURSTS_MAX) bytes[count - 1] = 0;
        if (on && count <= BURSTS_MAX) bytes[count - 1] += value * seconds;
        inside = on;
    }
    return count;
}

static double busiest(const stk_metric_series *rate)
{
    const double peak = stk_metric_series_peak(rate),
                 often = stk_metric_series_quantile(rate, 0.98);
    return often > peak * quiet ? often : peak; /* rare bursts exceed every quantile */
}

static double median_above(const stk_metric_series *rate, double limit)
{
    double low = limit, high = stk_metric_series_peak(rate);
    for (int i = 0; i < 40; i++) { /* half of what is above limit is above this, too */
        const double middle = (low + high) / 2;
        if (stk_metric_series_fraction_above(rate, middle) >
            stk_metric_series_fraction_above(rate, limit) / 2)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool stk_detect_bursts(const stk_metric_series *rate, stk_bursts *out)
{
    double       bytes[BURSTS_MAX], on_s, all_s;
    const double limit = busiest(rate) * quiet;
    *out = (stk_bursts){0};
    if (limit < rate_min * quiet) return false;
    const stk_metric_series part = stk_metric_series_trim(rate, limit);
    if (part.count < SAMPLES_MIN) return false;
    out->count = find_bursts(&part, limit, bytes, &on_s, &all_s);
    out->duty = all_s > 0 ? on_s / all_s : 1;
    out->rate = median_above(&part, limit);
    return out->count >= BURSTS_MIN && out->duty >= duty_min && out->duty <= duty_max;
}

bool stk_detect_growth(const stk_metric_series *rate, stk_growth *out)
{
    double       bytes[BURSTS_MAX], numbers[BURSTS_MAX], on_s, all_s, mean = 0;
    const double limit = busiest(rate) * quiet;
    *out = (stk_growth){0};
    if (limit < rate_min * quiet) return false;
    const size_t all = find_bursts(rate, limit, bytes, &on_s, &all_s);
    if (all < BURSTS_MIN || all_s <= 0 || on_s / all_s > duty_max) return false;
    const size_t count = all < BURSTS_MAX ? all : BURSTS_MAX;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (double)i;
        mean += bytes[i] / (double)count;
    }
    const stk_trend trend = stk_trend_of(numbers, bytes, count);
    const double    half = trend.slope * (double)(count - 1) / 2;
    *out = (stk_growth){all, mean > half ? mean - half : bytes[0], mean + half};
    return trend.low > 0 && out->last > grown * out->first;
}
