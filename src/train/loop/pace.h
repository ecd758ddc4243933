/* Estimates a run's remaining time from a moving average of speed and the evaluations to come. The
 * last report alone would be too noisy. */
#ifndef STK_TRAIN_LOOP_PACE_H
#define STK_TRAIN_LOOP_PACE_H

#include <stdint.h>

typedef struct stk_pace {
    double  seconds, steps; /* both decay with time */
    double  evaluation_seconds;
    int64_t evaluations;
} stk_pace;

void stk_pace_add(stk_pace *pace, double seconds, int64_t steps);
void stk_pace_add_evaluation(stk_pace *pace, double seconds);
/* 0 before the first step. unknown_steps: cost of an evaluation in steps, until one was
 * measured. */
double stk_pace_left(const stk_pace *pace, int64_t steps, int64_t evaluations,
                     double unknown_steps);

#endif
