/* How long the rest of a run will take: by the last while rather than the last report, whose speed
 * is one of many, and with the evaluations that are to come. */
#ifndef STK_TRAIN_LOOP_PACE_H
#define STK_TRAIN_LOOP_PACE_H

#include <stdint.h>

typedef struct stk_pace {
    double  seconds, steps; /* both fade with the time that passes */
    double  evaluation_seconds;
    int64_t evaluations;
} stk_pace;

void stk_pace_add(stk_pace *pace, double seconds, int64_t steps);
void stk_pace_add_evaluation(stk_pace *pace, double seconds);
/* 0 before any step. unknown_steps: what an evaluation is worth as long as there was none. */
double stk_pace_left(const stk_pace *pace, int64_t steps, int64_t evaluations,
                     double unknown_steps);

#endif
