/* Two samples of rates, by Welch's test of their logarithms: a base and a new measurement have each
 * their own spread. The loss of a machine is told from that of a program by yardsticks: nobody
 * knows which of them a program slows down with, so the interval holds the ratio as it was measured
 * and as each yardstick corrects it. A loss is shown only where all of them show one. */
#include <math.h>
#include <stoker/rate_comparison.h>

/* The interval has half of what it misses on either side. */
static const double quantile = 0.975;

/* A machine that differs by more is no longer the one of the base: caches, clocks and neighbours
 * that do so much do not slow down all programs alike. */
static const double most_different = 0.10;

const char *stk_rate_verdict_name(stk_rate_verdict verdict)
{
    return verdict == STK_RATE_LOSS           ? "loss"
           : verdict == STK_RATE_INCONCLUSIVE ? "inconclusive"
                                              : "no_loss";
}

/* What of a round is compared: the rate alone, a yardstick alone, or the rate by a yardstick. */
enum { RATE = -1 };

static double log_of(const stk_rate_round *round, bool with_rate, int yardstick)
{
    double value = 0;
    if (with_rate) value += log(round->rate);
    if (yardstick != RATE) value += (with_rate ? -1 : 1) * log(round->yardstick[yardstick]);
    return value;
}

typedef struct moments {
    double mean, error; /* error: variance of the mean */
    double degrees;
} moments;

static moments moments_of(const stk_rate_round *rounds, size_t count, bool with_rate, int yardstick)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += log_of(&rounds[i], with_rate, yardstick) / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double apart = log_of(&rounds[i], with_rate, yardstick) - mean;
        squares += apart * apart;
    }
    const double degrees = (double)count - 1;
    return (moments){mean, squares / degrees / (double)count, degrees};
}

static stk_estimate estimate_of(double mean, double error, double degrees)
{
    const double reach = error > 0 ? stk_student_quantile(quantile, degrees) * sqrt(error) : 0;
    return (stk_estimate){exp(mean), exp(mean - reach), exp(mean + reach)};
}

/* Degrees of freedom by Welch and Satterthwaite. */
static stk_estimate welch(moments base, moments now)
{
    const double error = base.error + now.error;
    const double squares =
        base.error * base.error / base.degrees + now.error * now.error / now.degrees;
    const double degrees = squares > 0 ? error * error / squares : base.degrees + now.degrees;
    return estimate_of(now.mean - base.mean, error, degrees);
}

static void widen(stk_estimate *wide, const stk_estimate *by)
{
    if (by->low < wide->low) wide->low = by->low;
    if (by->high > wide->high) wide->high = by->high;
}

static stk_status check(const stk_rate_round *rounds, size_t count, const char *which,
                        stk_error *err)
{
    if (count < STK_RATE_ROUNDS_MIN)
        return stk_fail(err, STK_E_INVALID, "bench", which,
                        "%zu rounds: at least %d are needed to tell how far they are apart", count,
                        STK_RATE_ROUNDS_MIN);
    for (size_t i = 0; i < count; i++) {
        bool good = rounds[i].rate > 0 && isfinite(rounds[i].rate);
        for (int y = 0; y < STK_RATE_YARDSTICKS; y++)
            good = good && rounds[i].yardstick[y] > 0 && isfinite(rounds[i].yardstick[y]);
        if (!good)
            return stk_fail(err, STK_E_INVALID, "bench", which,
                            "round %zu has a rate of %g: it must be above 0, as those of its "
                            "yardsticks (%g, %g, %g)",
                            i + 1, rounds[i].rate, rounds[i].yardstick[0], rounds[i].yardstick[1],
                            rounds[i].yardstick[2]);
    }
    return STK_OK;
}

static bool differs(double ratio)
{
    return fabs(log(ratio)) > log1p(most_different);
}

stk_status stk_rate_compare(stk_rate_comparison *out, const stk_rate_round *base, size_t base_count,
                            const stk_rate_round *now, size_t now_count, double bound,
                            bool same_machine, stk_error *err)
{
    *out = (stk_rate_comparison){.verdict = STK_RATE_INCONCLUSIVE};
    STK_TRY(check(base, base_count, "base", err));
    STK_TRY(check(now, now_count, "new measurement", err));
    bool same = same_machine;
    out->measured =
        welch(moments_of(base, base_count, true, RATE), moments_of(now, now_count, true, RATE));
    out->ratio = out->measured;
    for (int y = 0; y < STK_RATE_YARDSTICKS; y++) {
        out->yardstick[y] =
            welch(moments_of(base, base_count, false, y), moments_of(now, now_count, false, y));
        out->corrected[y] =
            welch(moments_of(base, base_count, true, y), moments_of(now, now_count, true, y));
        widen(&out->ratio, &out->corrected[y]);
        same = same && !differs(out->yardstick[y].value);
    }
    if (same) out->verdict = out->ratio.high < bound ? STK_RATE_LOSS : STK_RATE_NO_LOSS;
    return STK_OK;
}

stk_estimate stk_rate_mean(const stk_rate_round *rounds, size_t count)
{
    if (count < 2) return (stk_estimate){count ? rounds->rate : 0, 0, INFINITY};
    const moments m = moments_of(rounds, count, true, RATE);
    return estimate_of(m.mean, m.error, m.degrees);
}
