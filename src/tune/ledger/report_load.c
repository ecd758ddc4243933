/* A report from the events of a ledger. */
#include "tune/ledger/report_events.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <string.h>

enum { PATH = 2048, LEDGER_BYTES_MAX = 256 << 20, TRIALS_MAX = 1 << 20 };

void stk_tune_report_init(stk_tune_report *report)
{
    memset(report, 0, sizeof *report);
    report->gain.value = -2;
}

void stk_tune_report_release(stk_tune_report *report)
{
    free(report->trials);
    stk_tune_report_init(report);
}

stk_status stk_tune_report_add_trial(stk_tune_report *report, const stk_tune_trial *trial,
                                     stk_error *err)
{
    const size_t count = report->trial_count;
    if (count >= TRIALS_MAX)
        return stk_fail(err, STK_E_LIMIT, "tune", NULL, "more than %d trials", TRIALS_MAX);
    if ((count & (count - 1)) == 0) { /* full at each power of two */
        stk_tune_trial *more =
            realloc(report->trials, (count ? 2 * count : 1) * sizeof *report->trials);
        if (!more) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a trial");
        report->trials = more;
    }
    report->trials[report->trial_count++] = *trial;
    return STK_OK;
}

static void read_text(char *to, size_t capacity, const stk_json_value *event, const char *key)
{
    snprintf(to, capacity, "%s", stk_json_text(stk_json_get(event, key), ""));
}

static double number(const stk_json_value *event, const char *key)
{
    return stk_json_number(stk_json_get(event, key), 0);
}

static void take_start(stk_tune_report *r, const stk_json_value *event)
{
    read_text(r->kind, sizeof r->kind, event, "kind");
    read_text(r->subject, sizeof r->subject, event, "subject");
    read_text(r->unit, sizeof r->unit, event, "unit");
    read_text(r->version, sizeof r->version, event, "version");
    read_text(r->host, sizeof r->host, event, "host");
    read_text(r->processor, sizeof r->processor, event, "processor");
    read_text(r->started, sizeof r->started, event, "started");
    read_text(r->objective, sizeof r->objective, event, "objective");
    const int64_t cores = stk_json_integer(stk_json_get(event, "cores"), 0);
    r->cores = cores > 0 && cores < 1 << 20 ? (int)cores : 0;
    r->least = number(event, "least");
    r->budget_s = number(event, "budget_s");
}

static void take_noise(stk_tune_report *r, const stk_json_value *event)
{
    r->noise = number(event, "deviation");
    r->base_rate = r->best_rate = number(event, "rate");
    r->base_joules = r->best_joules = number(event, "joules");
}

/* The first is of the start; the last one of the best. */
static void take_candidates(stk_tune_report *r, const stk_json_value *event)
{
    stk_tune_read_limit(&r->limit_best, stk_json_get(event, "limit"));
    if (!r->limit_base.known) r->limit_base = r->limit_best;
    r->advice_count = stk_tune_read_advice(r->advice, stk_json_get(event, "advice"));
}

static stk_status take_trial(stk_tune_report *r, const stk_json_value *event, stk_error *err)
{
    stk_tune_trial trial;
    stk_tune_read_trial(&trial, event);
    STK_TRY(stk_tune_report_add_trial(r, &trial, err));
    if (trial.decision != STK_TUNE_KEPT) return STK_OK;
    for (size_t i = 0; i < trial.change.count; i++)
        STK_TRY(stk_tune_setting_set(&r->best, trial.change.list[i].key, trial.change.list[i].value,
                                     err));
    if (trial.rate_after > 0) r->best_rate = trial.rate_after;
    return STK_OK;
}

static void take_confirmed(stk_tune_report *r, const stk_json_value *event)
{
    r->gain = stk_tune_read_estimate(stk_json_get(event, "gain"));
    r->base_rate = number(event, "base_rate");
    r->best_rate = number(event, "best_rate");
    r->base_joules = number(event, "base_joules");
    r->best_joules = number(event, "best_joules");
}

stk_status stk_tune_report_take(stk_tune_report *r, const stk_json_value *event, stk_error *err)
{
    const char *kind = stk_json_text(stk_json_get(event, "event"), "");
    r->seconds = number(event, "at_s");
    if (strcmp(kind, "start") == 0) take_start(r, event);
    if (strcmp(kind, "noise") == 0) take_noise(r, event);
    if (strcmp(kind, "candidates") == 0) take_candidates(r, event);
    if (strcmp(kind, "trial") == 0) return take_trial(r, event, err);
    if (strcmp(kind, "confirmed") == 0) take_confirmed(r, event);
    if (strcmp(kind, "end") == 0) read_text(r->ended, sizeof r->ended, event, "reason");
    return STK_OK;
}

static stk_status take_line(stk_tune_report *out, stk_bytes line, const char *path, stk_error *err)
{
    stk_json_document *event;
    STK_TRY(stk_json_parse(&event, line, path, err));
    const stk_status st = stk_tune_report_take(out, stk_json_root(event), err);
    stk_json_document_free(event);
    return st;
}

stk_status stk_tune_report_read(stk_tune_report *out, stk_bytes text, const char *path,
                                stk_error *err)
{
    const uint8_t *at = text.data, *const end = at + text.size;
    stk_tune_report_init(out);
    for (const uint8_t *stop; at < end && (stop = memchr(at, '\n', (size_t)(end - at)));
         at = stop + 1)
        STK_TRY(take_line(out, stk_bytes_of(at, (size_t)(stop - at)), path, err));
    if (*out->kind) return STK_OK;
    return stk_fail(err, STK_E_FORMAT, "tune", path,
                    "it is no ledger: its first line tells no 'start'");
}

stk_status stk_tune_report_load(stk_tune_report *out, const char *path, stk_error *err)
{
    char          inside[PATH];
    stk_file_info info;
    stk_blob      text;
    stk_tune_report_init(out);
    STK_TRY(stk_path_info(NULL, path, &info, err));
    const bool folder = info.kind == STK_FILE_DIRECTORY;
    if (snprintf(inside, sizeof inside, "%s%s", path, folder ? "/tune.jsonl" : "") >= PATH)
        return stk_fail(err, STK_E_LIMIT, "tune", path, "the path is too long");
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_file_read_all(NULL, inside, 0, LEDGER_BYTES_MAX, &text, err);
    if (!st) st = stk_tune_report_read(out, stk_blob_bytes(&text), inside, err);
    stk_blob_release(&text);
    return st;
}
