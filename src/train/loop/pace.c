/* Estimates a run's remaining time. */
#include "train/loop/pace.h"
#include <math.h>

/* Time constant of the moving averages, in seconds of training. */
static const double memory_seconds = 20;

void stk_pace_add(stk_pace *pace, double seconds, int64_t steps)
{
    const double kept = exp(-seconds / memory_seconds);
    pace->seconds = pace->seconds * kept + seconds;
    pace->steps = pace->steps * kept + (double)steps;
}

void stk_pace_add_evaluation(stk_pace *pace, double seconds)
{
    pace->evaluation_seconds += seconds;
    pace->evaluations++;
}

double stk_pace_left(const stk_pace *pace, int64_t steps, int64_t evaluations, double unknown_steps)
{
    if (!(pace->steps > 0)) return 0;
    const double step = pace->seconds / pace->steps;
    const double each = pace->evaluations ? pace->evaluation_seconds / (double)pace->evaluations
                                          : step * unknown_steps;
    return (double)steps * step + (double)evaluations * each;
}
