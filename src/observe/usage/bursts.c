/* Bursts: traffic that stops and goes, and output that grows. */
#include "observe/usage/detect.h"

enum { LEAST_SAMPLES = 20, LEAST_BURSTS = 4, MOST_BURSTS = STK_TREND_POINTS };

static const double least_rate = 1e6; /* bytes a second: less is chatter */
static const double quiet = 0.1;      /* of the busiest: nothing comes */
static const double least_duty = 0.03, most_duty = 0.6;
static const double grown = 1.5; /* times: the last burst over the first */

/* One burst after the other: their beginnings and bytes. Returns how many there are; the first
 * MOST_BURSTS are written. */
static size_t find_bursts(const stk_metric_series *rate, double limit, double *bytes, double *on_s,
                          double *all_s)
{
    size_t count = 0;
    bool   inside = false;
    *on_s = *all_s = 0;
    for (size_t i = 0; i < rate->count; i++) {
        const double value = stk_track_at(rate, i), seconds = stk_track_seconds(rate, i);
        const bool   on = value >= limit;
        *all_s += seconds;
        if (on) *on_s += seconds;
        if (on && !inside && count++ < MOST_BURSTS) bytes[count - 1] = 0;
        if (on && count <= MOST_BURSTS) bytes[count - 1] += value * seconds;
        inside = on;
    }
    return count;
}

static double busiest(const stk_metric_series *rate)
{
    const double peak = stk_track_peak(rate), often = stk_track_quantile(rate, 0.98);
    return often > peak * quiet ? often : peak; /* rare bursts are above every quantile */
}

static double median_above(const stk_metric_series *rate, double limit)
{
    double low = limit, high = stk_track_peak(rate);
    for (int i = 0; i < 40; i++) { /* half of what is above limit is above this, too */
        const double middle = (low + high) / 2;
        if (stk_track_share_above(rate, middle) > stk_track_share_above(rate, limit) / 2)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool stk_detect_bursts(const stk_metric_series *rate, stk_bursts *out)
{
    double       bytes[MOST_BURSTS], on_s, all_s;
    const double limit = busiest(rate) * quiet;
    *out = (stk_bursts){0};
    if (limit < least_rate * quiet) return false;
    const stk_metric_series part = stk_track_trim(rate, limit);
    if (part.count < LEAST_SAMPLES) return false;
    out->count = find_bursts(&part, limit, bytes, &on_s, &all_s);
    out->duty = all_s > 0 ? on_s / all_s : 1;
    out->rate = median_above(&part, limit);
    return out->count >= LEAST_BURSTS && out->duty >= least_duty && out->duty <= most_duty;
}

bool stk_detect_growth(const stk_metric_series *rate, stk_growth *out)
{
    double       bytes[MOST_BURSTS], numbers[MOST_BURSTS], on_s, all_s, mean = 0;
    const double limit = busiest(rate) * quiet;
    *out = (stk_growth){0};
    if (limit < least_rate * quiet) return false;
    const size_t all = find_bursts(rate, limit, bytes, &on_s, &all_s);
    if (all < LEAST_BURSTS || all_s <= 0 || on_s / all_s > most_duty) return false;
    const size_t count = all < MOST_BURSTS ? all : MOST_BURSTS;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (double)i;
        mean += bytes[i] / (double)count;
    }
    const stk_trend trend = stk_trend_of(numbers, bytes, count);
    const double    half = trend.slope * (double)(count - 1) / 2;
    *out = (stk_growth){all, mean > half ? mean - half : bytes[0], mean + half};
    return trend.low > 0 && out->last > grown * out->first;
}
