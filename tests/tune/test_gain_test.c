/* The sequential test: how often it is wrong when it is looked at after every observation. */
#include "harness.h"

#include <math.h>
#include <stoker/gain_test.h>

enum { RUNS = 2000, OBSERVATIONS = 60 };

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(uniform(state))) * cos(2 * M_PI * uniform(state));
}

/* One in ten observations is disturbed ten times as much. */
static double disturbed(uint64_t *state)
{
    const double scale = uniform(state) < 0.1 ? 10 : 1;
    return scale * normal(state);
}

/* How often the interval excludes the truth at any moment. */
static int misses(double truth, double noise, double (*draw)(uint64_t *))
{
    uint64_t state = 42;
    int      missed = 0;
    for (int run = 0; run < RUNS; run++) {
        stk_gain_test test = {0};
        bool          outside = false;
        for (int i = 0; i < OBSERVATIONS; i++) {
            stk_gain_test_add(&test, log1p(truth) + noise * draw(&state));
            const stk_estimate gain = stk_gain_test_gain(&test, 0.95);
            outside |= gain.low > truth || gain.high < truth;
        }
        missed += outside;
    }
    return missed;
}

STK_TEST(looking_after_every_observation_is_wrong_in_one_of_twenty_at_most)
{
    EXPECT(misses(0, 0.02, normal) <= RUNS / 20);
    EXPECT(misses(0.1, 0.02, normal) <= RUNS / 20);
    EXPECT(misses(-0.3, 0.2, normal) <= RUNS / 20);
    EXPECT(misses(0, 0.02, disturbed) <= RUNS / 20);
    EXPECT(misses(0, 0.02, normal) > 0); /* the check can fail */
}

/* A fixed test would need two thirds of the observations. */
STK_TEST(a_difference_of_twice_the_noise_is_soon_found)
{
    uint64_t seed = 7;
    int      found = 0;
    for (int run = 0; run < RUNS; run++) {
        stk_gain_test test = {0};
        for (int i = 0; i < 8; i++)
            stk_gain_test_add(&test, 0.04 + 0.02 * normal(&seed));
        found += stk_gain_test_gain(&test, 0.95).low > 0;
    }
    EXPECT(found > RUNS * 6 / 10);
}

STK_TEST(few_observations_say_nothing)
{
    stk_gain_test test = {0};
    EXPECT(stk_gain_test_deviation(&test) == 0);
    for (int i = 0; i < 2; i++) {
        stk_gain_test_add(&test, 0.5);
        EXPECT(stk_gain_test_gain(&test, 0.95).low == -1);
        EXPECT(isinf(stk_gain_test_gain(&test, 0.95).high));
    }
    stk_gain_test_add(&test, NAN);
    stk_gain_test_add(&test, -INFINITY);
    EXPECT_INT_EQ(2, test.count);
    stk_gain_test_add(&test, 0.5);
    EXPECT(stk_gain_test_gain(&test, 0.95).low > 0);
    EXPECT(fabs(stk_gain_test_gain(&test, 0.95).value - expm1(0.5)) < 1e-12);
}

STK_TEST(the_number_of_observations_fits_the_interval)
{
    const size_t count = stk_gain_test_observations(0.02, 0.01, 0.95);
    EXPECT(count > 30 && count < 100);
    EXPECT(stk_gain_test_observations(0.04, 0.01, 0.95) > 3 * count);
    EXPECT_INT_EQ(3, stk_gain_test_observations(0, 0.01, 0.95));
    EXPECT(stk_gain_test_observations(0.1, 0, 0.95) == SIZE_MAX);
    EXPECT(stk_gain_test_observations(100, 1e-9, 0.95) == SIZE_MAX);
}
