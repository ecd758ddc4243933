/* The numbers of one run, and the rate that they give. The warm-up begins with the first number: a
 * program may take any time to start. */
#ifndef STK_TUNE_PROGRAM_RATE_WINDOW_H
#define STK_TUNE_PROGRAM_RATE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

enum { STK_TUNE_NUMBERS_MIN = 3 }; /* after the warm-up; fewer are no rate */

typedef struct stk_tune_rate_window {
    bool   counter; /* numbers are counts, and their increase is the rate; else they are rates */
    double warm_up_s, measure_s;
    double first_s, last_s; /* of a number, since the run began; -1: none */
    double last;            /* the last number */
    size_t numbers;         /* also those of the warm-up */
    size_t count;           /* of what was measured */
    double sum;             /* of rates, or of increases */
    double counted_s;       /* the time of increases */
    bool   strange;         /* a number was NaN or infinite */
} stk_tune_rate_window;

void stk_tune_rate_window_begin(stk_tune_rate_window *window, bool counter, double warm_up_s,
                                double measure_s);
void stk_tune_rate_window_add(stk_tune_rate_window *window, double number, double now_s);
/* Whether it was measured for as long as it should be; numbers that are rare take longer. */
bool stk_tune_rate_window_done(const stk_tune_rate_window *window, double now_s);
/* Whether there are enough numbers for a rate. */
bool stk_tune_rate_window_usable(const stk_tune_rate_window *window);
/* The mean of rates, or the increase per second. 0: not known. */
double stk_tune_rate_window_rate(const stk_tune_rate_window *window);
double stk_tune_rate_window_seconds(const stk_tune_rate_window *window);

#endif
