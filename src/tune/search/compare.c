/* Two settings side by side: blocks of both in turn, so that what else the machine does meets both
 * alike, until the sequential test decides. Now and then both are opened anew, the other one first:
 * two starts of the same differ a little for as long as they run, by where memory and threads come
 * to lie, and the one that is opened second by half a percent. */
#include "base/clock.h"
#include "tune/search/search.h"
#include <math.h>
#include <stdlib.h>

enum { BLOCKS_MAX = 2 * 512, UNSURE_FROM = 8, OBSERVATIONS_MIN = 3, OPENED_FOR = 3 };

static const double confidence = 0.95;

/* Standard errors. */
static const double errors_hopeless = 2.5;

/* Smaller gains must show in more than one opening. */
static const double gain_of_one_opening = 0.05;

typedef struct side {
    void  *arm;
    size_t count;
    double rates[BLOCKS_MAX];
    double samples, joules;
} side;

typedef struct duel {
    const stk_tune_subject         *subject;
    const stk_tune_compare_options *options;
    const stk_tune_setting         *settings[2];
    side                            sides[2];
    int                             openings;
    bool                           *second;
} duel;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const side *s)
{
    double sorted[BLOCKS_MAX];
    if (!s->count) return 0;
    for (size_t i = 0; i < s->count; i++)
        sorted[i] = s->rates[i];
    qsort(sorted, s->count, sizeof *sorted, by_value);
    return (sorted[(s->count - 1) / 2] + sorted[s->count / 2]) / 2;
}

/* Adds the logarithm of the rate to *sum. */
static stk_status run_block(duel *d, int which, double *sum, stk_error *err)
{
    side          *s = &d->sides[which];
    stk_tune_block block = {0};
    *d->second = which == 1;
    STK_TRY(stk_cancel_check(d->options->cancel, "tune", err));
    STK_TRY(d->subject->measure(s->arm, &block, err));
    if (!(block.samples > 0) || !(block.seconds > 0) || !isfinite(block.samples / block.seconds))
        return stk_fail(err, STK_E_RANGE, "tune", NULL,
                        "a block did %g samples in %g s: there is nothing to compare",
                        block.samples, block.seconds);
    s->samples += block.samples;
    s->joules += block.joules;
    s->rates[s->count++] = block.samples / block.seconds;
    *sum += log(block.samples / block.seconds);
    return STK_OK;
}

/* A B B A: a drift of the machine that is even over the four adds nothing. */
static stk_status observe_four(duel *d, double *ratio, stk_error *err)
{
    double sums[2] = {0, 0};
    STK_TRY(run_block(d, 0, &sums[0], err));
    STK_TRY(run_block(d, 1, &sums[1], err));
    STK_TRY(run_block(d, 1, &sums[1], err));
    STK_TRY(run_block(d, 0, &sums[0], err));
    *ratio = (sums[1] - sums[0]) / 2;
    return STK_OK;
}

/* A B, then B A. */
static stk_status observe_pair(duel *d, bool swapped, double *ratio, stk_error *err)
{
    double sums[2] = {0, 0};
    STK_TRY(run_block(d, swapped, &sums[swapped], err));
    STK_TRY(run_block(d, !swapped, &sums[!swapped], err));
    *ratio = sums[1] - sums[0];
    return STK_OK;
}

/* A change that is taken back needs no proof: the observations that are left will not tell its gain
 * from the least one, or it has hardly a chance to be above that. */
static bool is_hopeless(const stk_gain_test *test, double least, size_t most)
{
    const double deviation = stk_gain_test_deviation(test), distance = test->mean - log1p(least);
    if (test->count < UNSURE_FROM) return false;
    return distance < -errors_hopeless * deviation / sqrt((double)test->count) ||
           stk_gain_test_observations(deviation, fabs(distance), confidence) > most;
}

static bool is_decided(const duel *d, const stk_gain_test *test)
{
    const stk_estimate gain = stk_gain_test_gain(test, confidence);
    if (d->options->exactly) return test->count >= d->options->exactly;
    if (gain.low > d->options->least) return d->openings > 1 || gain.low > gain_of_one_opening;
    return gain.high < d->options->least ||
           is_hopeless(test, d->options->least, d->subject->observations_max);
}

static size_t most_observations(const duel *d)
{
    const size_t most = BLOCKS_MAX / 2;
    return d->subject->observations_max < most ? d->subject->observations_max : most;
}

static void sum_up(stk_tune_comparison *out, const duel *d)
{
    const side *a = &d->sides[0], *b = &d->sides[1];
    out->rate_before = median_of(a);
    out->rate_after = median_of(b);
    out->joules_before = a->samples > 0 ? a->joules / a->samples : 0;
    out->joules_after = b->samples > 0 ? b->joules / b->samples : 0;
}

/* With fewer observations there would be no interval. */
static bool is_late(const stk_tune_compare_options *o, size_t count)
{
    return o->deadline_s > 0 && count >= OBSERVATIONS_MIN &&
           (double)stk_clock_ns() * 1e-9 > o->deadline_s;
}

static void close_both(duel *d)
{
    for (int i = 0; i < 2; i++) {
        d->subject->close(d->sides[i].arm);
        d->sides[i].arm = NULL;
    }
}

static stk_status open_both(duel *d, stk_error *err)
{
    const int first = d->openings++ % 2;
    for (int i = 0; i < 2; i++) {
        const int which = i ^ first;
        *d->second = which == 1;
        STK_TRY(
            d->subject->open(d->subject->context, d->settings[which], &d->sides[which].arm, err));
    }
    return STK_OK;
}

static stk_status observe_once(stk_tune_comparison *out, duel *d, stk_error *err)
{
    const bool swapped = out->test.count % 2;
    double     ratio;
    if (out->test.count % OPENED_FOR == 0) {
        close_both(d);
        STK_TRY(open_both(d, err));
    }
    STK_TRY(d->subject->blocks_of_four ? observe_four(d, &ratio, err)
                                       : observe_pair(d, swapped, &ratio, err));
    stk_gain_test_add(&out->test, ratio);
    sum_up(out, d);
    out->late = is_late(d->options, out->test.count);
    if (d->options->observed) d->options->observed(d->options->context, out);
    return STK_OK;
}

static stk_status observe_all(stk_tune_comparison *out, duel *d, stk_error *err)
{
    const size_t most = most_observations(d);
    while (out->test.count < most && !is_decided(d, &out->test) && !out->late)
        STK_TRY(observe_once(out, d, err));
    return STK_OK;
}

stk_status stk_tune_compare(stk_tune_comparison *out, const stk_tune_subject *subject,
                            const stk_tune_setting *before, const stk_tune_setting *after,
                            const stk_tune_compare_options *options, bool *second, stk_error *err)
{
    *out = (stk_tune_comparison){.test = {0}};
    *second = false;
    duel *d = calloc(1, sizeof *d);
    if (!d) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a comparison");
    *d = (duel){
        .subject = subject, .options = options, .settings = {before, after}, .second = second};
    const stk_status st = observe_all(out, d, err);
    close_both(d);
    free(d);
    if (st != STK_E_CANCELLED || !stk_cancel_requested(options->cancel)) return st;
    out->cancelled = true;
    return STK_OK;
}
