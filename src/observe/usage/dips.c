/* Detects dips: utilisation that drops repeatedly. */
#include "observe/usage/detect.h"

#include <math.h>

enum { SAMPLES_MIN = 20, DIPS_MIN = 2, FEW_GAPS = 3 };

static const double deep = 0.5;          /* of the median */
static const double fraction_min = 0.05; /* of the time; less costs nothing */
static const double even = 0.25;         /* relative spread of a regular period */

/* The median is robust to dips for up to half the time. The end of work is no dip. */
bool stk_detect_dips(const stk_metric_series *series, double min, stk_dips *out)
{
    const double typical = stk_metric_series_quantile(series, 0.5);
    *out = (stk_dips){.typical = typical, .period_s = -1};
    if (typical < min) return false;
    const stk_metric_series part = stk_metric_series_trim(series, typical * deep);
    if (part.count < SAMPLES_MIN) return false;
    double low_s = 0, all_s = 0, last = -1, sum = 0, squares = 0;
    size_t gaps = 0, run = 0;
    for (size_t i = 0; i < part.count; i++) {
        const double value = stk_metric_series_at(&part, i),
                     seconds = stk_metric_series_seconds(&part, i);
        const bool low = value >= 0 && value < typical * deep;
        all_s += seconds;
        if (low) low_s += seconds;
        run = low ? run + 1 : 0;
        if (run != 1) continue;
        const double begin = part.samples[i].seconds;
        if (last >= 0) {
            sum += begin - last;
            squares += (begin - last) * (begin - last);
            gaps++;
        }
        last = begin;
        out->count++;
    }
    out->fraction = all_s > 0 ? low_s / all_s : 0;
    const double mean = gaps ? sum / (double)gaps : 0;
    const double variance = gaps ? squares / (double)gaps - mean * mean : 0;
    if (gaps >= FEW_GAPS && sqrt(variance > 0 ? variance : 0) < even * mean) out->period_s = mean;
    return out->count >= DIPS_MIN && out->fraction >= fraction_min;
}
