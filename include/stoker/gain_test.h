/* stoker/gain_test.h - whether one setting is faster than another, and by how much: a sequential
 * test of paired measurements. Its interval is valid at every moment, however often one looks and
 * for whatever reason one stops (a confidence sequence). */
#ifndef STOKER_GAIN_TEST_H
#define STOKER_GAIN_TEST_H

#include <stddef.h>
#include <stoker/diagnosis.h>

STK_BEGIN_DECLS

/* All zero: nothing observed. One observation is a pair of rates measured next to each other, or a
 * block of four in the order A B B A, which cancels a drift of the machine. */
typedef struct stk_gain_test {
    size_t count;
    double mean, squares; /* of logarithms of ratios; sum of squared distances from the mean */
} stk_gain_test;

/* Adds log(new rate / old rate). Values that are not finite are ignored. */
STK_API void stk_gain_test_add(stk_gain_test *test, double log_ratio);
/* The gain (0.25: a quarter more) with an interval that holds the true one at all times together
 * with this probability, for observations that are independent and about normal. Until there are
 * three observations the bounds are -1 and infinity. */
STK_API stk_estimate stk_gain_test_gain(const stk_gain_test *test, double confidence);
/* The same of the mean itself, for observations that are differences instead of logarithms. */
STK_API stk_estimate stk_gain_test_mean(const stk_gain_test *test, double confidence);
/* Standard deviation of an observation; 0 with fewer than two. */
STK_API double stk_gain_test_deviation(const stk_gain_test *test);
/* How many observations of this deviation give an interval that is no wider than half_width to each
 * side; SIZE_MAX: more than a million. */
STK_API size_t stk_gain_test_observations(double deviation, double half_width, double confidence);

STK_END_DECLS
#endif
