/* A cost that is there is found through drift and noise, and one that is not is not. */
#include "harness.h"

#include <math.h>

/* Noise from -1 to 1 that is the same in every run. */
static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9.3e18;
}

static stk_profile_overhead measure(double share, double noisy, int steps)
{
    stk_overhead o;
    uint64_t     state = 1;
    stk_overhead_init(&o, 0);
    for (int i = 0; i < steps; i++) {
        double ns = 1e6 * (1 + 0.3 * i / steps) * (1 + noisy * noise(&state)); /* it drifts */
        if (i % 97 == 0) ns *= 5;                                              /* and stumbles */
        stk_overhead_add(&o, stk_overhead_on(&o) ? ns * (1 + share) : ns);
    }
    return stk_overhead_result(&o);
}

STK_TEST(a_cost_is_found_within_its_interval)
{
    const double shares[] = {0, 0.002, 0.02, 0.3};
    for (size_t i = 0; i < COUNT_OF(shares); i++) {
        const stk_profile_overhead o = measure(shares[i], 0.01, 20000);
        EXPECT(o.measured && o.low <= o.share && o.share <= o.high);
        EXPECT(fabs(o.share - shares[i]) < 0.002);
        EXPECT(o.high - o.low < 0.003);
    }
}

STK_TEST(few_rounds_are_no_measurement)
{
    EXPECT(!measure(0.1, 0.01, 200).measured); /* five rounds of forty steps */
    EXPECT(measure(0.1, 0.01, 240).measured);
    EXPECT(measure(0.1, 0.01, 1 << 17).measured); /* more rounds than are kept */
}
