/* A confidence sequence for the mean of normal observations of unknown variance: the values that a
 * t-test mixed over effect sizes does not reject. Under the right Haar prior of the variance the
 * mixture is a martingale whatever the variance is (Lai 1976; Wang and Ramdas 2023), so by Ville's
 * inequality looking often costs nothing. */
#include <math.h>
#include <stdint.h>
#include <stoker/gain_test.h>

/* Variance of the mixture in units of an observation's: differences worth finding are several times
 * the noise of a block. */
static const double effect_variance = 25;

enum { OBSERVATIONS_MIN = 3, OBSERVATIONS_MAX = 1000000 };

void stk_gain_test_add(stk_gain_test *test, double log_ratio)
{
    if (!isfinite(log_ratio)) return;
    const double before = log_ratio - test->mean;
    test->count++;
    test->mean += before / (double)test->count;
    test->squares += before * (log_ratio - test->mean);
}

double stk_gain_test_deviation(const stk_gain_test *test)
{
    return test->count < 2 ? 0 : sqrt(test->squares / (double)(test->count - 1));
}

/* The half width in deviations. With t the statistic of a value and k = 1 + n g, the mixture is
 * k^(-1/2) ((1 + t^2/v) / (1 + t^2/(v k)))^(n/2); this solves it for 1 / (1 - confidence). */
static double half_width(size_t count, double confidence)
{
    const double n = (double)count, v = n - 1, k = 1 + n * effect_variance;
    const double root = exp((0.5 * log(k) - log(1 - confidence)) * 2 / n);
    if (count < OBSERVATIONS_MIN || root >= k) return INFINITY;
    return sqrt(v * (root - 1) / (1 - root / k) / n);
}

stk_estimate stk_gain_test_mean(const stk_gain_test *test, double confidence)
{
    const double width = half_width(test->count, confidence);
    if (!isfinite(width)) return (stk_estimate){test->mean, -INFINITY, INFINITY};
    const double reach = width * stk_gain_test_deviation(test);
    return (stk_estimate){test->mean, test->mean - reach, test->mean + reach};
}

stk_estimate stk_gain_test_gain(const stk_gain_test *test, double confidence)
{
    const stk_estimate mean = stk_gain_test_mean(test, confidence);
    return (stk_estimate){expm1(mean.value), expm1(mean.low), expm1(mean.high)};
}

size_t stk_gain_test_observations(double deviation, double half, double confidence)
{
    size_t low = OBSERVATIONS_MIN, high = OBSERVATIONS_MAX;
    if (!(half > 0) || half_width(high, confidence) * deviation > half) return SIZE_MAX;
    while (low < high) { /* the width falls with every observation */
        const size_t middle = low + (high - low) / 2;
        if (half_width(middle, confidence) * deviation <= half)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
