/* stoker/rate_comparison.h - whether something is slower than it was when a base was measured: two
 * samples of rates, taken at different times, each rate beside those of a yardstick. A yardstick is
 * a computation that never changes, so what it tells apart is the machine. */
#ifndef STOKER_RATE_COMPARISON_H
#define STOKER_RATE_COMPARISON_H

#include <stoker/diagnosis.h>

STK_BEGIN_DECLS

enum {
    STK_RATE_YARDSTICKS = 3, /* arithmetic, memory, threads that wait for each other */
    STK_RATE_ROUNDS_MIN = 3  /* of a sample */
};

/* One round: what was measured, and the yardsticks right before and after it. */
typedef struct stk_rate_round {
    double rate, yardstick[STK_RATE_YARDSTICKS]; /* a second; above 0 */
} stk_rate_round;

typedef enum stk_rate_verdict {
    STK_RATE_NO_LOSS,     /* none is shown */
    STK_RATE_LOSS,        /* shown: all of the interval is below the bound */
    STK_RATE_INCONCLUSIVE /* the machine is not what it was */
} stk_rate_verdict;

STK_API const char *stk_rate_verdict_name(stk_rate_verdict verdict); /* "no_loss": a literal */

/* All are new over base, with 95 % intervals. */
typedef struct stk_rate_comparison {
    stk_estimate     ratio; /* as measured; the interval holds those of measured and corrected */
    stk_estimate     measured;
    stk_estimate     corrected[STK_RATE_YARDSTICKS]; /* by what a yardstick has changed */
    stk_estimate     yardstick[STK_RATE_YARDSTICKS];
    stk_rate_verdict verdict;
} stk_rate_comparison;

/* Compares with a bound: 0.97 for a loss of more than 3 %. A yardstick that differs by more than a
 * tenth, or same_machine false, is INCONCLUSIVE. STK_E_INVALID: too few rounds, or a rate that is
 * none. */
STK_API STK_NODISCARD stk_status stk_rate_compare(stk_rate_comparison  *out,
                                                  const stk_rate_round *base, size_t base_count,
                                                  const stk_rate_round *now, size_t now_count,
                                                  double bound, bool same_machine, stk_error *err);

/* Mean of a sample of rates above 0 (geometric) with its 95 % interval. */
STK_API stk_estimate stk_rate_mean(const stk_rate_round *rounds, size_t count);

/* The value that Student's t with so many degrees of freedom stays below with this probability,
 * from 0.5 up to below 1. degrees need not be whole. */
STK_API double stk_student_quantile(double probability, double degrees);

STK_END_DECLS
#endif
