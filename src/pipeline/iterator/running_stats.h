/* Running mean and variance, to compare two settings by samples. */
#ifndef STK_PIPELINE_ITERATOR_RUNNING_STATS_H
#define STK_PIPELINE_ITERATOR_RUNNING_STATS_H

#include <stdbool.h>
#include <stdint.h>

enum { STK_TRIAL_SAMPLES = 30 };

/* Mean and variance of the samples without storing them (Welford). */
typedef struct stk_running_stats {
    uint64_t count;
    double   mean, squares; /* squares: sum of squared distances from the mean */
} stk_running_stats;

void   stk_running_stats_add(stk_running_stats *trial, double value);
double stk_running_stats_error(const stk_running_stats *trial); /* standard error of the mean */
bool   stk_running_stats_is_full(const stk_running_stats *trial);

/* Whether challenger's mean is below incumbent's by more than two standard errors of the
 * difference. */
bool stk_running_stats_is_better(const stk_running_stats *challenger,
                                 const stk_running_stats *incumbent);

#endif
