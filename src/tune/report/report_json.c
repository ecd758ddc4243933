/* A report as JSON for its readers: what is not known is null, and stages have their names. */
#include "tune/ledger/ledger.h"

/* JSON has no infinity either: a bound that is open is null. */
static void write_number(stk_json_writer *w, const char *key, double value, bool is_known)
{
    stk_json_key(w, key);
    if (is_known)
        stk_json_double(w, value);
    else
        stk_json_null(w);
}

static void write_positive(stk_json_writer *w, const char *key, double value)
{
    write_number(w, key, value, value > 0);
}

static void write_gain(stk_json_writer *w, const char *key, const stk_estimate *gain, bool is_known)
{
    stk_json_key(w, key);
    if (!is_known || !(gain->value >= -1)) {
        stk_json_null(w);
        return;
    }
    stk_json_object(w);
    stk_json_pair_double(w, "value", gain->value);
    write_number(w, "low", gain->low, gain->low > -1);
    write_number(w, "high", gain->high, gain->high > -1);
    stk_json_object_end(w);
}

static void write_trial(stk_json_writer *w, const stk_tune_trial *trial)
{
    stk_json_object(w);
    stk_json_pair_int(w, "number", trial->number);
    stk_json_pair_string(w, "action", trial->action);
    stk_json_pair_string(w, "title", trial->title);
    stk_json_pair_string(w, "stage", stk_stage_name(trial->stage));
    stk_json_pair_string(w, "class", stk_tune_class_name(trial->kind));
    stk_tune_write_setting(w, "change", &trial->change);
    stk_tune_write_setting(w, "before", &trial->before);
    write_gain(w, "predicted", &trial->predicted, true);
    stk_json_pair_uint(w, "observations", trial->observations);
    write_positive(w, "rate_before", trial->rate_before);
    write_positive(w, "rate_after", trial->rate_after);
    write_positive(w, "joules_before", trial->joules_before);
    write_positive(w, "joules_after", trial->joules_after);
    write_gain(w, "gain", &trial->gain, trial->observations > 0);
    stk_json_pair_string(w, "decision", stk_tune_decision_name(trial->decision));
    stk_json_pair_string(w, "reason", trial->reason);
    stk_json_pair_double(w, "seconds", trial->seconds);
    stk_json_object_end(w);
}

static void write_subject(stk_json_writer *w, const stk_tune_report *r)
{
    stk_json_pair_string(w, "kind", r->kind);
    stk_json_pair_string(w, "subject", r->subject);
    stk_json_pair_string(w, "unit", r->unit);
    stk_json_pair_string(w, "version", r->version);
    stk_json_pair_string(w, "host", r->host);
    stk_json_pair_string(w, "processor", r->processor);
    stk_json_pair_int(w, "cores", r->cores);
    stk_json_pair_string(w, "started", r->started);
    stk_json_pair_string(w, "objective", r->objective);
    stk_json_pair_double(w, "least", r->least);
    stk_json_pair_double(w, "budget_s", r->budget_s);
    stk_json_pair_double(w, "seconds", r->seconds);
    write_positive(w, "noise", r->noise);
}

static void write_result(stk_json_writer *w, const stk_tune_report *r)
{
    stk_tune_write_setting(w, "best", &r->best);
    write_positive(w, "base_rate", r->base_rate);
    write_positive(w, "best_rate", r->best_rate);
    write_positive(w, "base_joules", r->base_joules);
    write_positive(w, "best_joules", r->best_joules);
    write_gain(w, "gain", &r->gain, true);
    stk_tune_write_limit(w, "limit_base", &r->limit_base);
    stk_tune_write_limit(w, "limit_best", &r->limit_best);
}

static void write_lists(stk_json_writer *w, const stk_tune_report *r)
{
    stk_json_key(w, "trials");
    stk_json_array(w);
    for (size_t i = 0; i < r->trial_count; i++)
        write_trial(w, &r->trials[i]);
    stk_json_array_end(w);
    stk_json_key(w, "advice");
    stk_json_array(w);
    for (size_t i = 0; i < r->advice_count; i++) {
        stk_json_object(w);
        stk_json_pair_string(w, "text", r->advice[i].text);
        write_gain(w, "gain", &r->advice[i].gain, true);
        stk_json_object_end(w);
    }
    stk_json_array_end(w);
}

stk_status stk_tune_report_write(const stk_tune_report *report, stk_blob *out, stk_error *err)
{
    const size_t    before = out->size;
    stk_json_writer w;
    stk_json_begin(&w, out, 0);
    stk_json_object(&w);
    write_subject(&w, report);
    write_result(&w, report);
    write_lists(&w, report);
    stk_json_pair_string(&w, "ended", report->ended);
    stk_json_object_end(&w);
    const stk_status st = stk_json_end(&w, err);
    if (st) out->size = before;
    return st;
}
