/* What all trials say together: rates with exact binomial intervals, and the bounds that are to be
 * kept. */
#ifndef STK_BENCH_TUNE_HONESTY_SUMMARY_H
#define STK_BENCH_TUNE_HONESTY_SUMMARY_H

#include "honesty_trial.h"

/* So many of so many, with the interval of 95 % by Clopper and Pearson. */
typedef struct honesty_share {
    size_t count, all;
    double value, low, high; /* 0, 0, 1 without any */
} honesty_share;

honesty_share honesty_share_of(size_t count, size_t all);

/* One kind of trials. */
typedef struct honesty_group {
    size_t        count, decisions[STK_TUNE_FAILED + 1];
    honesty_share covered; /* the interval has the truth */
    double        observations, seconds, noise;
} honesty_group;

/* measured = intercept + slope x true, in logarithms, with standard errors. */
typedef struct honesty_line {
    size_t count;
    double slope, slope_error, intercept, intercept_error;
} honesty_line;

typedef struct honesty_summary {
    honesty_group same, changed;
    honesty_share kept;  /* of what is the same: mistakes */
    honesty_share right; /* of changed ones that are called faster or slower: the direction is */
    honesty_share found; /* of true gains above 3 %: kept */
    honesty_line  line;
    bool          kept_holds, right_holds, found_holds, line_holds;
} honesty_summary;

honesty_summary          honesty_sum_up(const honesty_trials *trials);
bool                     honesty_holds(const honesty_summary *summary);
void                     honesty_print(const honesty_summary *summary);
STK_NODISCARD stk_status honesty_print_json(const honesty_summary *summary, stk_error *err);

#endif
