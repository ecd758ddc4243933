/* The search: noise, then candidates one at a time, the one that promises most for its time first;
 * after each change that is kept, new candidates; at the end the best against the start. Every
 * result passes through the ledger, also a new one, so that a search that goes on sees the same. */
#include "base/clock.h"
#include "tune/ledger/report_events.h"
#include "tune/search/candidates.h"
#include "tune/search/identity.h"
#include "tune/search/pick.h"
#include "tune/search/verdict.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double least_default = 0.01;
static const double trial_s_default = 10; /* before the first one is known */
/* Shares of the budget: noise may take this much, and as much is left for the best against the
 * start, which comes after the last trial. */
static const double share_noise = 0.1, share_confirm = 0.1;
/* A gain that every trial should be able to tell from the least one. */
static const double gain_worth_finding = 0.03;

typedef struct search {
    const stk_tune_subject *subject;
    const stk_tune_options *options;
    stk_tune_ledger        *ledger;
    stk_tune_report        *report;
    double                  least, budget_s;
    uint64_t                begin_ns;
    double                  before_s; /* of earlier starts of this search */
    stk_tune_setting        now;
    stk_tune_candidates    *candidates;
    stk_tune_picker         picker;
    stk_tune_trial          trial; /* under way */
    size_t                  waiting;
    stk_tune_phase          phase;
    double                  noise_s; /* that an observation of noise took; 0: not known */
    size_t                  untried; /* when the budget ended */
    bool                    late;    /* it ended in a trial */
    bool                    stopped; /* by cancel */
} search;

static double elapsed(const search *s)
{
    return s->before_s + (double)(stk_clock_ns() - s->begin_ns) * 1e-9;
}

static void tell(const search *s)
{
    const stk_tune_progress progress = {
        .phase = s->phase,
        .trial = s->phase == STK_TUNE_TRY || s->phase == STK_TUNE_GUARD ? &s->trial : NULL,
        .waiting = s->waiting,
        .seconds = elapsed(s),
        .budget_s = s->budget_s};
    if (s->options->progress) s->options->progress(s->options->context, &progress);
}

static void enter(search *s, stk_tune_phase phase)
{
    s->phase = phase;
    tell(s);
}

static bool has_time(const search *s)
{
    return elapsed(s) < s->budget_s * (1 - share_confirm);
}

/* The end of a share of the budget from now, on stk_clock_ns. */
static double deadline_in(double seconds)
{
    return (double)stk_clock_ns() * 1e-9 + fmax(0, seconds);
}

static bool is_stopped(search *s)
{
    s->stopped |= stk_cancel_requested(s->options->cancel);
    return s->stopped;
}

/* Writes an event; *out is what a search that goes on would read. */
static stk_status end_event(search *s, stk_json_writer *w, const stk_json_value **out,
                            stk_error *err)
{
    stk_json_pair_double(w, "at_s", elapsed(s));
    return stk_tune_ledger_end(s->ledger, w, out, err);
}

/* What is stopped in the middle is no error. */
static stk_status unless_stopped(search *s, stk_status st)
{
    return st == STK_E_CANCELLED && is_stopped(s) ? STK_OK : st;
}

/* An event that was recorded brings its time. */
static stk_status take(search *s, const stk_json_value *event, bool recorded, stk_error *err)
{
    STK_TRY(stk_tune_report_take(s->report, event, err));
    if (!recorded) return STK_OK;
    s->before_s = stk_json_number(stk_json_get(event, "at_s"), 0);
    s->begin_ns = stk_clock_ns();
    return STK_OK;
}

static stk_status check_same(const stk_json_value *event, const char *key, const char *is,
                             stk_error *err)
{
    const char *was = stk_json_text(stk_json_get(event, key), "");
    if (strcmp(was, is) == 0) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "tune", key,
                    "the ledger is of '%.150s', and this is '%.150s': begin a new search", was, is);
}

static stk_status start(search *s, const char *identity, stk_error *err)
{
    const stk_tune_report *r = s->report;
    const stk_json_value  *event;
    stk_json_writer        w;
    STK_TRY(stk_tune_ledger_next(s->ledger, "start", &event, err));
    if (event) {
        STK_TRY(check_same(event, "subject", r->subject, err));
        STK_TRY(check_same(event, "host", r->host, err));
        STK_TRY(check_same(event, "version", r->version, err));
        STK_TRY(stk_tune_identity_check(stk_json_text(stk_json_get(event, "identity"), ""),
                                        identity, err));
        return take(s, event, true, err);
    }
    stk_tune_ledger_begin(s->ledger, &w, "start");
    stk_json_pair_string(&w, "kind", r->kind);
    stk_json_pair_string(&w, "subject", r->subject);
    stk_json_pair_string(&w, "unit", r->unit);
    stk_json_pair_string(&w, "version", r->version);
    stk_json_pair_string(&w, "host", r->host);
    stk_json_pair_string(&w, "processor", r->processor);
    stk_json_pair_int(&w, "cores", r->cores);
    stk_json_pair_string(&w, "started", r->started);
    stk_json_pair_string(&w, "objective", r->objective);
    stk_json_pair_string(&w, "identity", identity);
    stk_json_pair_double(&w, "least", s->least);
    stk_json_pair_double(&w, "budget_s", s->budget_s);
    if (s->subject->describe) s->subject->describe(s->subject->context, &w);
    STK_TRY(end_event(s, &w, &event, err));
    return take(s, event, false, err);
}

static void observed(void *context, const stk_tune_comparison *so_far)
{
    search *s = context;
    s->trial.observations = so_far->test.count;
    s->trial.rate_before = so_far->rate_before;
    s->trial.rate_after = so_far->rate_after;
    s->trial.gain = stk_tune_gain_of(so_far);
    tell(s);
}

/* A against A: what differences mean nothing here. */
static stk_status measure_noise(search *s, stk_error *err)
{
    const stk_json_value    *event;
    stk_json_writer          w;
    stk_tune_comparison      same;
    bool                     second;
    stk_tune_compare_options how = {.exactly = s->subject->noise_observations,
                                    .deadline_s = deadline_in(share_noise * s->budget_s),
                                    .cancel = s->options->cancel,
                                    .observed = observed,
                                    .context = s};
    STK_TRY(stk_tune_ledger_next(s->ledger, "noise", &event, err));
    if (event) return take(s, event, true, err);
    enter(s, STK_TUNE_NOISE);
    const double begin = elapsed(s);
    STK_TRY(stk_tune_compare(&same, s->subject, &s->now, &s->now, &how, &second, err));
    if (is_stopped(s)) return STK_OK;
    s->noise_s = (elapsed(s) - begin) / fmax(1, (double)same.test.count);
    const stk_estimate gain = stk_tune_gain_of(&same);
    stk_tune_ledger_begin(s->ledger, &w, "noise");
    stk_json_pair_double(&w, "deviation", stk_gain_test_deviation(&same.test));
    stk_json_pair_double(&w, "rate", (same.rate_before + same.rate_after) / 2);
    stk_json_pair_double(&w, "joules", (same.joules_before + same.joules_after) / 2);
    stk_tune_write_estimate(&w, "difference", &gain);
    STK_TRY(end_event(s, &w, &event, err));
    return take(s, event, false, err);
}

static stk_status list_candidates(search *s, stk_error *err)
{
    const stk_json_value *event;
    stk_json_writer       w;
    STK_TRY(stk_tune_ledger_next(s->ledger, "candidates", &event, err));
    const bool recorded = event != NULL;
    if (!recorded) {
        enter(s, STK_TUNE_DIAGNOSE);
        *s->candidates = (stk_tune_candidates){0};
        STK_TRY(
            unless_stopped(s, s->subject->list(s->subject->context, &s->now, s->candidates, err)));
        if (is_stopped(s)) return STK_OK;
        stk_tune_ledger_begin(s->ledger, &w, "candidates");
        stk_tune_candidates_write(&w, s->candidates);
        STK_TRY(end_event(s, &w, &event, err));
    }
    stk_tune_candidates_read(s->candidates, event);
    return take(s, event, recorded, err);
}

static void say(const search *s, const char *line)
{
    if (s->options->log) s->options->log(s->options->context, line);
}

/* Says how long the budget should be where the machine is too noisy for the one that was given. */
static void warn_of_noise(const search *s)
{
    char         line[STK_TUNE_LINE];
    const double noise = s->report->noise, apart = log1p(gain_worth_finding) - log1p(s->least);
    const size_t needed = stk_gain_test_observations(noise, fmax(apart, s->least / 2), 0.95);
    size_t       waiting;
    if (needed <= s->subject->observations_max || !s->noise_s) return;
    (void)stk_tune_pick(&s->picker, s->candidates, &s->now, &waiting);
    const double minutes = s->noise_s * (double)needed * (double)(waiting + 1) / 60;
    if (needed == SIZE_MAX || minutes > 1e5)
        snprintf(line, sizeof line,
                 "this machine is too noisy now (an observation of the same twice differs by %.1f "
                 "%%): a gain of %.0f %% cannot be shown; end other programs",
                 100 * noise, 100 * gain_worth_finding);
    else
        snprintf(
            line, sizeof line,
            "this machine is noisy now (an observation of the same twice differs by %.1f %%): to "
            "show gains of %.0f %% a budget of %.0f minutes is needed; larger ones show sooner",
            100 * noise, 100 * gain_worth_finding, ceil(minutes));
    say(s, line);
}

static stk_status apply(stk_tune_setting *setting, const stk_tune_setting *change, stk_error *err)
{
    for (size_t i = 0; i < change->count; i++)
        STK_TRY(stk_tune_setting_set(setting, change->list[i].key, change->list[i].value, err));
    return STK_OK;
}

static stk_status guard(search *s, const stk_tune_setting *after,
                        const stk_tune_candidate *candidate, stk_error *err)
{
    stk_tune_guard_result result = {.passed = true};
    if (s->trial.decision != STK_TUNE_KEPT || !s->subject->guard) return STK_OK;
    enter(s, STK_TUNE_GUARD);
    STK_TRY(s->subject->guard(s->subject->context, &s->now, after, candidate, &result, err));
    if (!result.passed) s->trial.decision = STK_TUNE_REFUSED;
    const size_t used = strlen(s->trial.reason);
    if (*result.reason)
        snprintf(s->trial.reason + used, sizeof s->trial.reason - used, "; %s", result.reason);
    return STK_OK;
}

/* Errors of what is tried end the trial; others end the search. */
static stk_status try_it(search *s, stk_tune_candidate *candidate, stk_error *err)
{
    const stk_tune_compare_options how = {
        .least = s->least,
        .deadline_s = deadline_in(s->budget_s * (1 - share_confirm) - elapsed(s)),
        .cancel = s->options->cancel,
        .observed = observed,
        .context = s};
    stk_tune_setting    after = s->now;
    stk_tune_comparison pair;
    bool                second = true;
    stk_status          st = STK_OK;
    if (s->subject->prepare) st = s->subject->prepare(s->subject->context, &s->now, candidate, err);
    s->trial.change = candidate->change;
    if (!st) st = apply(&after, &candidate->change, err);
    if (!st) st = stk_tune_compare(&pair, s->subject, &s->now, &after, &how, &second, err);
    if (!st && !is_stopped(s)) {
        stk_tune_judge(&s->trial, &pair, s->least);
        s->late = pair.late;
        second = true; /* a guard's errors are those of the change, too */
        st = guard(s, &after, candidate, err);
    }
    if (is_stopped(s)) return STK_OK;
    if (!st || !second) return st;
    s->trial.decision = STK_TUNE_FAILED;
    char line[sizeof err->where + sizeof err->message];
    snprintf(s->trial.reason, sizeof s->trial.reason, "%s", stk_error_line(err, line, sizeof line));
    return STK_OK;
}

/* What was kept, and of the rest what is known of the keys that change. */
static stk_status fill_before(stk_tune_setting *before, const stk_tune_setting *now,
                              const stk_tune_setting *was, stk_error *err)
{
    *before = *now;
    for (size_t i = 0; i < was->count; i++)
        if (!stk_tune_setting_get(now, was->list[i].key))
            STK_TRY(stk_tune_setting_set(before, was->list[i].key, was->list[i].value, err));
    return STK_OK;
}

static stk_status run_trial(search *s, const stk_tune_candidate *chosen, stk_error *err)
{
    stk_json_writer       w;
    const stk_json_value *event;
    stk_tune_candidate    candidate = *chosen;
    const double          begin = elapsed(s);
    s->trial = (stk_tune_trial){.number = (int)s->report->trial_count + 1,
                                .stage = chosen->stage,
                                .kind = chosen->kind,
                                .change = chosen->change,
                                .predicted = chosen->predicted,
                                .gain = {-2, -1, INFINITY}};
    snprintf(s->trial.action, sizeof s->trial.action, "%s", chosen->action);
    snprintf(s->trial.title, sizeof s->trial.title, "%s", chosen->title);
    STK_TRY(fill_before(&s->trial.before, &s->now, &chosen->was, err));
    enter(s, STK_TUNE_TRY);
    STK_TRY(try_it(s, &candidate, err));
    if (s->stopped) return STK_OK;
    s->trial.seconds = elapsed(s) - begin;
    stk_tune_ledger_begin(s->ledger, &w, "trial");
    stk_tune_write_trial(&w, &s->trial);
    STK_TRY(end_event(s, &w, &event, err));
    return take(s, event, false, err);
}

/* The trial of the report's end decides what is next, whether it was measured now or earlier. */
static stk_status follow(search *s, const stk_tune_candidate *chosen, bool *kept, stk_error *err)
{
    const stk_tune_trial *last = &s->report->trials[s->report->trial_count - 1];
    const stk_stage       limit = stk_tune_limit_stage(&s->candidates->limit);
    *kept = last->decision == STK_TUNE_KEPT;
    s->picker.trial_s = fmax(1, last->seconds - chosen->cost_s);
    if (s->options->finished) s->options->finished(s->options->context, last);
    STK_TRY(stk_tune_picker_remember(&s->picker, chosen, limit, last->decision, err));
    if (*kept) return apply(&s->now, &last->change, err);
    if (last->decision == STK_TUNE_FAILED && s->subject->list_instead)
        s->subject->list_instead(s->subject->context, last, s->candidates);
    return STK_OK;
}

/* Tries candidates of one list until one is kept. */
static stk_status try_candidates(search *s, bool *kept, stk_error *err)
{
    const stk_tune_candidate *next;
    *kept = false;
    while (!*kept && (next = stk_tune_pick(&s->picker, s->candidates, &s->now, &s->waiting))) {
        const stk_tune_candidate chosen = *next; /* the list may grow */
        const stk_json_value    *event;
        STK_TRY(stk_tune_ledger_next_if(s->ledger, "trial", &event, err));
        if (!event && (!has_time(s) || stk_tune_ledger_has_more(s->ledger))) {
            s->untried = s->waiting + 1;
            return STK_OK;
        }
        if (event)
            STK_TRY(take(s, event, true, err));
        else
            STK_TRY(run_trial(s, &chosen, err));
        if (s->stopped) return STK_OK;
        STK_TRY(follow(s, &chosen, kept, err));
    }
    return STK_OK;
}

/* All together against the start: gains of single changes do not add up. */
static stk_status confirm(search *s, stk_error *err)
{
    const stk_tune_setting         begin = {0};
    const stk_tune_compare_options how = {.exactly = s->subject->confirm_observations,
                                          .deadline_s = deadline_in(s->budget_s - elapsed(s)),
                                          .cancel = s->options->cancel,
                                          .observed = observed,
                                          .context = s};
    stk_tune_comparison            pair;
    const stk_json_value          *event;
    stk_json_writer                w;
    bool                           second;
    if (!s->now.count) return STK_OK;
    STK_TRY(stk_tune_ledger_next(s->ledger, "confirmed", &event, err));
    if (event) return take(s, event, true, err);
    enter(s, STK_TUNE_CONFIRM);
    STK_TRY(stk_tune_compare(&pair, s->subject, &begin, &s->now, &how, &second, err));
    if (is_stopped(s)) return STK_OK;
    const stk_estimate gain = stk_tune_gain_of(&pair);
    stk_tune_ledger_begin(s->ledger, &w, "confirmed");
    stk_tune_write_estimate(&w, "gain", &gain);
    stk_json_pair_double(&w, "base_rate", pair.rate_before);
    stk_json_pair_double(&w, "best_rate", pair.rate_after);
    stk_json_pair_double(&w, "base_joules", pair.joules_before);
    stk_json_pair_double(&w, "best_joules", pair.joules_after);
    STK_TRY(end_event(s, &w, &event, err));
    return take(s, event, false, err);
}

static stk_status end(search *s, stk_error *err)
{
    const stk_json_value *event;
    stk_json_writer       w;
    char                  reason[STK_TUNE_LINE];
    STK_TRY(stk_tune_ledger_next(s->ledger, "end", &event, err));
    if (event) return take(s, event, true, err);
    if (s->untried)
        snprintf(reason, sizeof reason, "the budget of %.0f s is spent, with %zu change%s untried",
                 s->budget_s, s->untried, s->untried == 1 ? "" : "s");
    else if (s->late)
        snprintf(reason, sizeof reason, "the budget of %.0f s is spent", s->budget_s);
    else
        snprintf(reason, sizeof reason, "nothing is left that is predicted to gain %.3g %% or more",
                 100 * s->least);
    stk_tune_ledger_begin(s->ledger, &w, "end");
    stk_json_pair_string(&w, "reason", reason);
    STK_TRY(end_event(s, &w, &event, err));
    return take(s, event, false, err);
}

static stk_status run(search *s, const char *identity, stk_error *err)
{
    bool kept = true;
    STK_TRY(start(s, identity, err));
    STK_TRY(measure_noise(s, err));
    while (kept && !is_stopped(s)) {
        STK_TRY(list_candidates(s, err));
        if (is_stopped(s)) break;
        if (!s->now.count) warn_of_noise(s);
        STK_TRY(try_candidates(s, &kept, err));
    }
    if (!is_stopped(s)) STK_TRY(confirm(s, err));
    if (!is_stopped(s)) STK_TRY(end(s, err));
    return STK_OK;
}

double stk_tune_budget_s(const stk_tune_options *options)
{
    enum { USUAL = 1200 };
    return options->budget_s > 0 ? options->budget_s : USUAL;
}

stk_status stk_tune_search(const stk_tune_subject *subject, const stk_tune_options *options,
                           const char *identity, stk_tune_ledger *ledger, stk_tune_report *report,
                           stk_error *err)
{
    search *s = calloc(1, sizeof *s);
    if (!s) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a search");
    *s = (search){.subject = subject,
                  .options = options,
                  .ledger = ledger,
                  .report = report,
                  .least = options->least > 0 ? options->least : least_default,
                  .budget_s = stk_tune_budget_s(options),
                  .begin_ns = stk_clock_ns(),
                  .candidates = calloc(1, sizeof *s->candidates)};
    s->picker = (stk_tune_picker){.least = s->least,
                                  .trial_s = trial_s_default,
                                  .only = options->only,
                                  .without = options->without,
                                  .pinned = options->pinned,
                                  .allow_learning = options->allow_learning};
    stk_status st = s->candidates
                        ? run(s, identity, err)
                        : stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for candidates");
    stk_tune_picker_release(&s->picker);
    free(s->candidates);
    free(s);
    return st;
}
