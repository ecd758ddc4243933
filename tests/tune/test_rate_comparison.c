/* The comparison of two measurements: how often it sees a loss that is none, and misses one. */
#include "harness.h"

#include <math.h>
#include <stoker/rate_comparison.h>

enum { RUNS = 1000, ROUNDS = 8 };

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(uniform(state))) * cos(2 * M_PI * uniform(state));
}

/* Rates of a machine that runs at speed: its yardsticks do, too. */
static void measure(stk_rate_round rounds[ROUNDS], double rate, double speed, double noise,
                    uint64_t *state)
{
    for (int i = 0; i < ROUNDS; i++) {
        rounds[i].rate = rate * speed * exp(noise * normal(state));
        for (int y = 0; y < STK_RATE_YARDSTICKS; y++)
            rounds[i].yardstick[y] = 3e9 * speed * exp(noise / 2 * normal(state));
    }
}

static int losses(double ratio, double speed, double noise, double bound)
{
    uint64_t            state = 11;
    int                 shown = 0;
    stk_rate_comparison c;
    stk_error           err;
    for (int run = 0; run < RUNS; run++) {
        stk_rate_round base[ROUNDS], now[ROUNDS];
        measure(base, 1000, 1, noise, &state);
        measure(now, 1000 * ratio, speed, noise, &state);
        EXPECT_OK(stk_rate_compare(&c, base, ROUNDS, now, ROUNDS, bound, true, &err));
        EXPECT(c.ratio.low <= c.measured.low && c.ratio.high >= c.measured.high);
        shown += c.verdict == STK_RATE_LOSS;
    }
    return shown;
}

STK_TEST(noise_is_called_a_loss_in_one_of_forty_at_most)
{
    EXPECT(losses(1, 1, 0.02, 1) <= RUNS / 40);
    EXPECT(losses(1, 1, 0.2, 1) <= RUNS / 40);
    EXPECT(losses(0.97, 1, 0.02, 0.97) <= RUNS / 40); /* as much as is allowed */
    EXPECT_INT_EQ(0, losses(1, 1, 0.02, 0.97));
}

STK_TEST(a_tenth_less_is_found)
{
    EXPECT(losses(0.9, 1, 0.02, 1) >= RUNS * 95 / 100);
    EXPECT(losses(0.9, 1, 0.02, 0.97) >= RUNS * 95 / 100);
}

STK_TEST(a_slow_day_of_the_machine_is_no_loss)
{
    EXPECT(losses(1, 0.92, 0.02, 0.97) <= RUNS / 40);
    EXPECT(losses(0.8, 0.95, 0.02, 0.97) >= RUNS * 95 / 100); /* a loss of its own is one still */
    EXPECT_INT_EQ(0, losses(0.8, 0.8, 0.02, 0.97));           /* inconclusive */
    EXPECT_INT_EQ(0, losses(0.8, 1.25, 0.02, 0.97));
}

/* Nobody knows which yardstick a program follows: one that was slower is enough. */
STK_TEST(one_yardstick_widens_the_interval)
{
    stk_rate_round      base[4], now[4];
    stk_rate_comparison c;
    stk_error           err;
    for (int i = 0; i < 4; i++) {
        base[i] = (stk_rate_round){100 + i, {1e9, 1e9, 1e9}};
        now[i] = (stk_rate_round){92 + i, {1e9, 0.92e9, 1e9}};
    }
    EXPECT_OK(stk_rate_compare(&c, base, 4, now, 4, 0.97, true, &err));
    EXPECT_INT_EQ(STK_RATE_NO_LOSS, c.verdict);
    EXPECT(c.measured.high < 0.97 && c.ratio.high > 1 && c.ratio.low == c.measured.low);
    EXPECT(fabs(c.yardstick[1].value - 0.92) < 1e-9 && fabs(c.yardstick[0].value - 1) < 1e-9);
    for (int i = 0; i < 4; i++)
        now[i].yardstick[1] = 1e9;
    EXPECT_OK(stk_rate_compare(&c, base, 4, now, 4, 0.97, true, &err));
    EXPECT_INT_EQ(STK_RATE_LOSS, c.verdict);
    EXPECT_OK(stk_rate_compare(&c, base, 4, now, 4, 0.97, false, &err));
    EXPECT_INT_EQ(STK_RATE_INCONCLUSIVE, c.verdict);
    EXPECT_STR_EQ("inconclusive", stk_rate_verdict_name(c.verdict));
}

STK_TEST(rates_that_are_none_are_refused)
{
    stk_rate_round      base[4], now[4];
    stk_rate_comparison c;
    stk_error           err;
    for (int i = 0; i < 4; i++)
        base[i] = now[i] = (stk_rate_round){100, {1, 1, 1}};
    EXPECT_STATUS(STK_E_INVALID, stk_rate_compare(&c, base, 2, now, 4, 1, true, &err));
    EXPECT(strstr(err.message, "2 rounds"));
    now[3].yardstick[1] = 0;
    EXPECT_STATUS(STK_E_INVALID, stk_rate_compare(&c, base, 4, now, 4, 1, true, &err));
    EXPECT(strstr(err.message, "round 4"));
    now[3] = (stk_rate_round){NAN, {1, 1, 1}};
    EXPECT_STATUS(STK_E_INVALID, stk_rate_compare(&c, base, 4, now, 4, 1, true, &err));
    now[3] = (stk_rate_round){100, {1, 1, 1}};
    EXPECT_OK(stk_rate_compare(&c, base, 4, now, 4, 1, true, &err)); /* no spread at all */
    EXPECT(c.ratio.low == 1 && c.ratio.high == 1 && c.verdict == STK_RATE_NO_LOSS);
    EXPECT(fabs(stk_rate_mean(base, 4).value - 100) < 1e-9);
}

/* From tables of the distribution. */
STK_TEST(quantiles_of_t_are_those_of_tables)
{
    static const struct {
        double p, degrees, t;
    } known[] = {{0.975, 1, 12.7062}, {0.975, 2, 4.30265},  {0.975, 4, 2.77645},
                 {0.975, 7, 2.36462}, {0.975, 14, 2.14479}, {0.975, 1e6, 1.95997},
                 {0.95, 5, 2.01505},  {0.995, 10, 3.16927}, {0.5, 3, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        EXPECT(fabs(stk_student_quantile(known[i].p, known[i].degrees) - known[i].t) < 2e-5);
    EXPECT(stk_student_quantile(0.975, 4.5) < 2.77645 && stk_student_quantile(0.975, 4.5) > 2.5705);
    EXPECT(isinf(stk_student_quantile(0.975, 0)));
}
