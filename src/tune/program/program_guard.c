/* Whether a program still learns as well: the last numbers of its guard, in runs of the same time
 * before and after the change. More samples in that time count for the change, as they do in a
 * training. Runs that were measured serve; more are made until the answer is clear. */
#include "tune/program/program_subject.h"

#include <math.h>
#include <stdio.h>
#include <stoker/gain_test.h>

enum { PAIRS_MIN = 3, PAIRS_MAX = 8 };

static const double confidence = 0.95, margin_default = 0.01;

typedef struct sides {
    const stk_tune_record *before, *after;
    stk_tune_setting       settings[2];
    double                 margin; /* what the number may fall; rise, if negative */
    size_t                 pairs;
    stk_estimate           better; /* of the change, in the guard's units */
} sides;

static size_t guards_of(const stk_tune_record *record)
{
    return record ? record->guard_count : 0;
}

static double mean_of(const stk_tune_record *record)
{
    double sum = 0;
    for (size_t i = 0; i < record->guard_count; i++)
        sum += record->guards[i];
    return sum / (double)record->guard_count;
}

/* By default a hundredth of the number. */
static double margin_of(const stk_tune_program *program, const stk_tune_record *before)
{
    if (program->guard_margin != 0 || !guards_of(before)) return program->guard_margin;
    return margin_default * fabs(mean_of(before));
}

/* Runs of both came in turn: the last ones of each belong together. */
static void compare(sides *s)
{
    stk_gain_test test = {0};
    s->pairs = guards_of(s->before);
    if (guards_of(s->after) < s->pairs) s->pairs = guards_of(s->after);
    for (size_t i = 1; i <= s->pairs; i++) {
        const double more = s->after->guards[s->after->guard_count - i] -
                            s->before->guards[s->before->guard_count - i];
        stk_gain_test_add(&test, s->margin < 0 ? -more : more);
    }
    s->better = stk_gain_test_mean(&test, confidence);
}

static void look_up(sides *s, stk_tune_program_subject *subject)
{
    s->before = stk_tune_records_find(subject->records, &s->settings[0]);
    s->after = stk_tune_records_find(subject->records, &s->settings[1]);
    s->margin = margin_of(subject->program, s->before);
    compare(s);
}

/* What is known to change learning must be shown to be harmless; of the rest a shown harm counts.
 */
static bool is_clear(const sides *s, bool learning)
{
    const double allowed = -fabs(s->margin);
    if (s->pairs < PAIRS_MIN) return false;
    return !learning || s->better.low >= allowed || s->better.high < allowed ||
           s->pairs >= PAIRS_MAX;
}

static void decide(stk_tune_guard_result *out, const sides *s, bool learning)
{
    const double allowed = -fabs(s->margin);
    const bool   harmful = s->better.high < allowed, harmless = s->better.low >= allowed;
    out->passed = learning ? harmless : !harmful;
    snprintf(out->reason, sizeof out->reason,
             "the guard went from %.5g to %.5g over %zu pairs of runs: %s a change for the worse "
             "by more than %.3g",
             mean_of(s->before), mean_of(s->after), s->pairs,
             harmless  ? "this excludes"
             : harmful ? "this is"
                       : "this does not exclude",
             -allowed);
}

stk_status stk_tune_program_guard(stk_tune_program_subject *subject, const stk_tune_setting *before,
                                  const stk_tune_setting   *after,
                                  const stk_tune_candidate *candidate, stk_tune_guard_result *out,
                                  stk_error *err)
{
    const bool learning = candidate->kind == STK_TUNE_LEARNING;
    sides      s = {.settings = {stk_tune_knobs_normalize(&subject->knobs, before),
                                 stk_tune_knobs_normalize(&subject->knobs, after)}};
    for (look_up(&s, subject); !is_clear(&s, learning); look_up(&s, subject)) {
        const bool     second = guards_of(s.after) < guards_of(s.before);
        stk_tune_block ignored;
        STK_TRY(stk_tune_program_subject_measure(subject, &s.settings[second], &ignored, err));
    }
    decide(out, &s, learning);
    return STK_OK;
}
