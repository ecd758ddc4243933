/* Trials of known outcome in files of lines of JSON. */
#include "honesty_trial.h"
#include <math.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <stoker/json.h>
#include <string.h>

enum { FILE_BYTES_MAX = 64 << 20 };

void honesty_trials_release(honesty_trials *trials)
{
    free(trials->list);
    *trials = (honesty_trials){0};
}

bool honesty_trials_have(const honesty_trials *trials, int64_t index)
{
    for (size_t i = 0; i < trials->count; i++)
        if (trials->list[i].index == index) return true;
    return false;
}

stk_status honesty_trials_add(honesty_trials *trials, const honesty_trial *trial, stk_error *err)
{
    if (trials->count == trials->capacity) {
        const size_t   more = trials->capacity ? 2 * trials->capacity : 64;
        honesty_trial *list = realloc(trials->list, more * sizeof *list);
        if (!list) return stk_fail(err, STK_E_NOMEM, "bench", NULL, "no memory for trials");
        trials->list = list;
        trials->capacity = more;
    }
    trials->list[trials->count++] = *trial;
    return STK_OK;
}

static double number(const stk_json_value *object, const char *key)
{
    return stk_json_number(stk_json_get(object, key), NAN);
}

static stk_tune_decision decision_of(const char *name)
{
    for (int i = STK_TUNE_KEPT; i < STK_TUNE_FAILED; i++)
        if (strcmp(stk_tune_decision_name((stk_tune_decision)i), name) == 0)
            return (stk_tune_decision)i;
    return STK_TUNE_FAILED;
}

static honesty_trial read_trial(const stk_json_value *object)
{
    return (honesty_trial){
        .index = stk_json_integer(stk_json_get(object, "index"), -1),
        .changed = stk_json_truth(stk_json_get(object, "changed"), false),
        .truth = number(object, "truth"),
        .step_s = number(object, "step_s"),
        .fault_s = number(object, "fault_s"),
        .mean = number(object, "mean"),
        .low = number(object, "low"),
        .high = number(object, "high"),
        .deviation = number(object, "deviation"),
        .observations = (size_t)stk_json_integer(stk_json_get(object, "observations"), 0),
        .decision = decision_of(stk_json_text(stk_json_get(object, "decision"), "")),
        .rate = number(object, "rate"),
        .seconds = number(object, "seconds")};
}

static stk_status take_line(honesty_trials *trials, stk_bytes line, const char *path,
                            stk_error *err)
{
    stk_json_document *document;
    STK_TRY(stk_json_parse(&document, line, path, err));
    const honesty_trial trial = read_trial(stk_json_root(document));
    stk_json_document_free(document);
    return honesty_trials_have(trials, trial.index) ? STK_OK
                                                    : honesty_trials_add(trials, &trial, err);
}

stk_status honesty_trials_load(honesty_trials *trials, const char *path, stk_error *err)
{
    bool     exists;
    stk_blob text;
    STK_TRY(stk_path_exists(NULL, path, &exists, NULL, err));
    if (!exists) return STK_OK;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_status     st = stk_file_read_all(NULL, path, 0, FILE_BYTES_MAX, &text, err);
    const uint8_t *at = text.data, *end = at + text.size, *line_end;
    while (!st && at < end && (line_end = memchr(at, '\n', (size_t)(end - at)))) {
        st = take_line(trials, stk_bytes_of(at, (size_t)(line_end - at)), path, err);
        at = line_end + 1;
    }
    stk_blob_release(&text);
    return st;
}

static void write_trial(stk_json_writer *w, const honesty_trial *trial)
{
    stk_json_object(w);
    stk_json_pair_int(w, "index", trial->index);
    stk_json_pair_bool(w, "changed", trial->changed);
    stk_json_pair_double(w, "truth", trial->truth);
    stk_json_pair_double(w, "step_s", trial->step_s);
    stk_json_pair_double(w, "fault_s", trial->fault_s);
    stk_json_pair_double(w, "mean", trial->mean);
    stk_json_pair_double(w, "low", trial->low);
    stk_json_pair_double(w, "high", trial->high);
    stk_json_pair_double(w, "deviation", trial->deviation);
    stk_json_pair_uint(w, "observations", trial->observations);
    stk_json_pair_string(w, "decision", stk_tune_decision_name(trial->decision));
    stk_json_pair_double(w, "rate", trial->rate);
    stk_json_pair_double(w, "seconds", trial->seconds);
    stk_json_object_end(w);
}

static stk_status append(const stk_blob *line, const char *path, stk_error *err)
{
    stk_output *out;
    STK_TRY(stk_output_append(&out, NULL, path, err));
    stk_status st = stk_output_write(out, line->data, line->size, err);
    if (!st) st = stk_output_commit(out, err);
    stk_output_close(out);
    return st;
}

stk_status honesty_trial_append(const honesty_trial *trial, const char *path, stk_error *err)
{
    stk_blob        line;
    stk_json_writer w;
    stk_blob_init(&line, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&w, &line, 0);
    write_trial(&w, trial);
    stk_status st = stk_json_end(&w, err);
    if (!st) st = stk_blob_append(&line, "\n", 1, err);
    if (!st) st = append(&line, path, err);
    stk_blob_release(&line);
    return st;
}
