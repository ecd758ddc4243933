/* Welford's running mean and variance. */
#include "pipeline/iterator/running_stats.h"

#include <math.h>

void stk_running_stats_add(stk_running_stats *trial, double value)
{
    const double distance = value - trial->mean;
    trial->count++;
    trial->mean += distance / (double)trial->count;
    trial->squares += distance * (value - trial->mean);
}

double stk_running_stats_error(const stk_running_stats *trial)
{
    if (trial->count < 2) return INFINITY;
    const double n = (double)trial->count;
    return sqrt(trial->squares / (n - 1) / n);
}

bool stk_running_stats_is_full(const stk_running_stats *trial)
{
    return trial->count >= STK_TRIAL_SAMPLES;
}

bool stk_running_stats_is_better(const stk_running_stats *challenger,
                                 const stk_running_stats *incumbent)
{
    const double a = stk_running_stats_error(challenger), b = stk_running_stats_error(incumbent);
    return challenger->mean + 2 * sqrt(a * a + b * b) < incumbent->mean;
}
