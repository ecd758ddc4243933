/* Comparing two ways to run: samples of one against samples of the other. */
#ifndef STK_PIPELINE_ITERATOR_RUNNING_STATS_H
#define STK_PIPELINE_ITERATOR_RUNNING_STATS_H

#include <stdbool.h>
#include <stdint.h>

enum { STK_TRIAL_SAMPLES = 30 };

/* Mean and spread of what was measured, without keeping it. */
typedef struct stk_trial {
    uint64_t count;
    double   mean, squares; /* squares: sum of squared distances from the mean */
} stk_trial;

void   stk_trial_add(stk_trial *trial, double value);
double stk_trial_error(const stk_trial *trial); /* standard error of the mean */
bool   stk_trial_is_full(const stk_trial *trial);

/* True when challenger's mean is below incumbent's by more than two standard errors of the
 * difference. */
bool stk_trial_is_better(const stk_trial *challenger, const stk_trial *incumbent);

#endif
