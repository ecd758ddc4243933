/* Quantiles and parts of a track. */
#include "observe/usage/metric_series.h"

#include <stdlib.h>

enum { SORTED = 2048 }; /* of longer runs every n-th sample does */

double stk_track_at(const stk_metric_series *track, size_t index)
{
    const stk_resource_sample *s = &track->samples[index];
    if (!track->gpus) return *(const double *)(const void *)((const char *)s + track->offset);
    double sum = 0;
    int    known = 0;
    for (int i = 0; i < s->gpu_count; i++) {
        const char  *gpu = (const char *)&s->gpus[i];
        const double value = *(const double *)(const void *)(gpu + track->offset);
        if (!(track->gpus >> i & 1) || value < 0) continue;
        sum += value;
        known++;
    }
    return known ? sum / known : -1;
}

double stk_track_seconds(const stk_metric_series *track, size_t index)
{
    const stk_resource_sample *s = track->samples;
    if (track->count < 2) return 0;
    return index ? s[index].seconds - s[index - 1].seconds : s[1].seconds - s[0].seconds;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stk_track_quantile(const stk_metric_series *track, double share)
{
    double       sorted[SORTED];
    const size_t stride = track->count / SORTED + 1;
    size_t       count = 0;
    for (size_t i = 0; i < track->count && count < SORTED; i += stride) {
        const double value = stk_track_at(track, i);
        if (value >= 0) sorted[count++] = value;
    }
    if (!count) return -1;
    qsort(sorted, count, sizeof *sorted, ascending);
    const double place = share * (double)(count - 1);
    const size_t below = (size_t)place;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* By time: samples need not be equally far apart. */
double stk_track_mean(const stk_metric_series *track)
{
    double sum = 0, seconds = 0;
    for (size_t i = 0; i < track->count; i++) {
        const double value = stk_track_at(track, i), period = stk_track_seconds(track, i);
        if (value < 0) continue;
        sum += value * period;
        seconds += period;
    }
    return seconds > 0 ? sum / seconds : track->count ? stk_track_at(track, 0) : -1;
}

double stk_track_peak(const stk_metric_series *track)
{
    double peak = -1;
    for (size_t i = 0; i < track->count; i++)
        if (stk_track_at(track, i) > peak) peak = stk_track_at(track, i);
    return peak;
}

stk_metric_series stk_track_trim(const stk_metric_series *track, double least)
{
    stk_metric_series part = *track;
    while (part.count && stk_track_at(&part, part.count - 1) < least)
        part.count--;
    while (part.count && stk_track_at(&part, 0) < least) {
        part.samples++;
        part.count--;
    }
    return part;
}

double stk_track_share_above(const stk_metric_series *track, double least)
{
    size_t known = 0, above = 0;
    for (size_t i = 0; i < track->count; i++) {
        const double value = stk_track_at(track, i);
        known += value >= 0;
        above += value >= 0 && value >= least;
    }
    return known ? (double)above / (double)known : -1;
}
