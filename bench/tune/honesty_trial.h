/* What one comparison of known outcome said, and files of them: a line of JSON each, so that
 * several processes share the work and one that was stopped goes on. */
#ifndef STK_BENCH_TUNE_HONESTY_TRIAL_H
#define STK_BENCH_TUNE_HONESTY_TRIAL_H

#include <stddef.h>
#include <stoker/tune.h>

typedef struct honesty_trial {
    int64_t           index;
    bool              changed;         /* one side has a fault; else both are the same */
    double            truth;           /* log(rate after / rate before) */
    double            step_s, fault_s; /* of the side without a fault; 0 where nothing changed */
    double            mean, low, high; /* measured, logarithms as well; the interval of 95 % */
    double            deviation;       /* of an observation */
    size_t            observations;
    stk_tune_decision decision;
    double            rate, seconds;
} honesty_trial;

/* All zero: none. */
typedef struct honesty_trials {
    size_t         count, capacity;
    honesty_trial *list; /* owned */
} honesty_trials;

void honesty_trials_release(honesty_trials *trials);
/* Adds those of a file, except what is there by its index already. A file that does not exist has
 * none, and a last line that is cut off is left out. */
STK_NODISCARD stk_status honesty_trials_load(honesty_trials *trials, const char *path,
                                             stk_error *err);
STK_NODISCARD stk_status honesty_trials_add(honesty_trials *trials, const honesty_trial *trial,
                                            stk_error *err);
bool                     honesty_trials_have(const honesty_trials *trials, int64_t index);
/* Appends a line to a file. */
STK_NODISCARD stk_status honesty_trial_append(const honesty_trial *trial, const char *path,
                                              stk_error *err);

#endif
