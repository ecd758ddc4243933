/* Decisions and their sentences. */
#include "tune/search/verdict.h"
#include <stdio.h>

static const double confidence = 0.95;

stk_estimate stk_tune_gain_of(const stk_tune_comparison *pair)
{
    return stk_gain_test_gain(&pair->test, confidence);
}

static stk_tune_decision decide(const stk_estimate *gain, double least)
{
    if (gain->low > least) return STK_TUNE_KEPT;
    if (gain->high < 0) return STK_TUNE_SLOWER;
    return gain->high < least ? STK_TUNE_NO_GAIN : STK_TUNE_UNDECIDED;
}

static void explain(stk_tune_trial *trial, const stk_tune_comparison *pair, double least)
{
    const stk_estimate *gain = &trial->gain;
    char               *to = trial->reason;
    switch (trial->decision) {
    case STK_TUNE_KEPT:
        snprintf(to, STK_TUNE_LINE, "at least %+.1f %% faster is shown", 100 * gain->low);
        break;
    case STK_TUNE_SLOWER:
        snprintf(to, STK_TUNE_LINE, "at least %.1f %% slower is shown", -100 * gain->high);
        break;
    case STK_TUNE_NO_GAIN:
        snprintf(to, STK_TUNE_LINE, "less than %.3g %% faster is shown", 100 * least);
        break;
    default:
        snprintf(
            to, STK_TUNE_LINE, "%s: neither %.3g %% faster nor less is shown by %zu observations",
            pair->late ? "the budget ended" : "too close to tell", 100 * least, pair->test.count);
    }
}

void stk_tune_judge(stk_tune_trial *trial, const stk_tune_comparison *pair, double least)
{
    trial->gain = stk_tune_gain_of(pair);
    trial->observations = pair->test.count;
    trial->rate_before = pair->rate_before;
    trial->rate_after = pair->rate_after;
    trial->joules_before = pair->joules_before;
    trial->joules_after = pair->joules_after;
    trial->decision = decide(&trial->gain, least);
    explain(trial, pair, least);
}
