/* Moments that say something: when work began, when samples were missing. */
#include "observe/usage/detect.h"

static const double late_s = 10, late_share = 0.1; /* both: a long run may take a while to start */
static const double gap_s = 5, gap_times = 5;      /* of the usual time between samples */

bool stk_detect_late(const stk_metric_series *track, double least, double *seconds)
{
    *seconds = -1;
    for (size_t i = 0; i < track->count; i++) {
        if (stk_track_at(track, i) < least) continue;
        *seconds = track->samples[i].seconds - stk_track_seconds(track, i);
        const double run = track->samples[track->count - 1].seconds;
        return *seconds >= late_s && *seconds >= late_share * run;
    }
    return false;
}

bool stk_detect_gap(const stk_metric_series *track, double *seconds)
{
    double longest = 0, sum = 0;
    *seconds = 0;
    if (track->count < 4) return false;
    for (size_t i = 1; i < track->count; i++) {
        const double period = stk_track_seconds(track, i);
        sum += period;
        if (period > longest) longest = period;
    }
    const double usual = (sum - longest) / (double)(track->count - 2);
    *seconds = longest;
    return longest > gap_s && longest > gap_times * usual;
}
