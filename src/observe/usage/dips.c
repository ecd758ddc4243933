/* Dips: utilisation that falls again and again. */
#include "observe/usage/detect.h"

#include <math.h>

enum { LEAST_SAMPLES = 20, LEAST_DIPS = 2, FEW_GAPS = 3 };

static const double deep = 0.5;         /* of the usual value */
static const double least_share = 0.05; /* of the time: fewer dips cost nothing */
static const double even = 0.25;        /* spread of periods that are called regular */

/* The median is unmoved by dips of up to half the time. The end of work is not one. */
bool stk_detect_dips(const stk_metric_series *track, double least, stk_dips *out)
{
    const double usual = stk_track_quantile(track, 0.5);
    *out = (stk_dips){.usual = usual, .period_s = -1};
    if (usual < least) return false;
    const stk_metric_series part = stk_track_trim(track, usual * deep);
    if (part.count < LEAST_SAMPLES) return false;
    double low_s = 0, all_s = 0, last = -1, sum = 0, squares = 0;
    size_t gaps = 0, run = 0;
    for (size_t i = 0; i < part.count; i++) {
        const double value = stk_track_at(&part, i), seconds = stk_track_seconds(&part, i);
        const bool   low = value >= 0 && value < usual * deep;
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
    out->share = all_s > 0 ? low_s / all_s : 0;
    const double mean = gaps ? sum / (double)gaps : 0;
    const double variance = gaps ? squares / (double)gaps - mean * mean : 0;
    if (gaps >= FEW_GAPS && sqrt(variance > 0 ? variance : 0) < even * mean) out->period_s = mean;
    return out->count >= LEAST_DIPS && out->share >= least_share;
}
