/* Parts of events as JSON, written and read. */
#include "tune/ledger/ledger.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void stk_tune_write_setting(stk_json_writer *w, const char *key, const stk_tune_setting *setting)
{
    stk_json_key(w, key);
    stk_json_object(w);
    for (size_t i = 0; i < setting->count; i++)
        stk_json_pair_string(w, setting->list[i].key, setting->list[i].value);
    stk_json_object_end(w);
}

/* Bounds that are not known are null. */
void stk_tune_write_estimate(stk_json_writer *w, const char *key, const stk_estimate *estimate)
{
    stk_json_key(w, key);
    if (estimate->value < -1) {
        stk_json_null(w);
        return;
    }
    stk_json_object(w);
    stk_json_pair_double(w, "value", estimate->value);
    stk_json_pair_double(w, "low", estimate->low);
    stk_json_pair_double(w, "high", estimate->high);
    stk_json_object_end(w);
}

void stk_tune_write_limit(stk_json_writer *w, const char *key, const stk_tune_limit *limit)
{
    stk_json_key(w, key);
    if (!limit->known) {
        stk_json_null(w);
        return;
    }
    stk_json_object(w);
    stk_json_pair_string(w, "verdict", limit->verdict);
    stk_json_key(w, "exposed");
    stk_json_array(w);
    for (int i = 0; i < STK_STAGE_COUNT; i++)
        stk_json_double(w, limit->exposed[i]);
    stk_json_array_end(w);
    stk_json_object_end(w);
}

void stk_tune_write_advice(stk_json_writer *w, const stk_tune_advice *list, size_t count)
{
    stk_json_key(w, "advice");
    stk_json_array(w);
    for (size_t i = 0; i < count; i++) {
        stk_json_object(w);
        stk_json_pair_string(w, "text", list[i].text);
        stk_tune_write_estimate(w, "gain", &list[i].gain);
        stk_json_object_end(w);
    }
    stk_json_array_end(w);
}

void stk_tune_write_trial(stk_json_writer *w, const stk_tune_trial *trial)
{
    stk_json_pair_int(w, "number", trial->number);
    stk_json_pair_string(w, "action", trial->action);
    stk_json_pair_string(w, "title", trial->title);
    stk_json_pair_int(w, "stage", trial->stage);
    stk_json_pair_string(w, "class", stk_tune_class_name(trial->kind));
    stk_tune_write_setting(w, "change", &trial->change);
    stk_tune_write_setting(w, "before", &trial->before);
    stk_tune_write_estimate(w, "predicted", &trial->predicted);
    stk_json_pair_uint(w, "observations", trial->observations);
    stk_json_pair_double(w, "rate_before", trial->rate_before);
    stk_json_pair_double(w, "rate_after", trial->rate_after);
    stk_json_pair_double(w, "joules_before", trial->joules_before);
    stk_json_pair_double(w, "joules_after", trial->joules_after);
    stk_tune_write_estimate(w, "gain", &trial->gain);
    stk_json_pair_string(w, "decision", stk_tune_decision_name(trial->decision));
    stk_json_pair_string(w, "reason", trial->reason);
    stk_json_pair_double(w, "seconds", trial->seconds);
}

static void read_text(char *to, size_t capacity, const stk_json_value *object, const char *key)
{
    snprintf(to, capacity, "%s", stk_json_text(stk_json_get(object, key), ""));
}

void stk_tune_read_setting(stk_tune_setting *out, const stk_json_value *value)
{
    *out = (stk_tune_setting){0};
    for (size_t i = 0; i < stk_json_count(value); i++) {
        const char *key = stk_json_key_at(value, i);
        const char *text = stk_json_text(stk_json_at(value, i), "");
        if (key && stk_tune_setting_set(out, key, text, NULL)) return;
    }
}

stk_estimate stk_tune_read_estimate(const stk_json_value *value)
{
    return (stk_estimate){stk_json_number(stk_json_get(value, "value"), -2),
                          stk_json_number(stk_json_get(value, "low"), -1),
                          stk_json_number(stk_json_get(value, "high"), INFINITY)};
}

void stk_tune_read_limit(stk_tune_limit *out, const stk_json_value *value)
{
    const stk_json_value *exposed = stk_json_get(value, "exposed");
    *out = (stk_tune_limit){.known = stk_json_type_of(value) == STK_JSON_OBJECT};
    read_text(out->verdict, sizeof out->verdict, value, "verdict");
    for (size_t i = 0; i < STK_STAGE_COUNT; i++)
        out->exposed[i] = stk_json_number(stk_json_at(exposed, i), 0);
}

size_t stk_tune_read_advice(stk_tune_advice *out, const stk_json_value *value)
{
    size_t count = stk_json_count(value);
    if (count > STK_TUNE_ADVICE) count = STK_TUNE_ADVICE;
    for (size_t i = 0; i < count; i++) {
        const stk_json_value *one = stk_json_at(value, i);
        read_text(out[i].text, sizeof out[i].text, one, "text");
        out[i].gain = stk_tune_read_estimate(stk_json_get(one, "gain"));
    }
    return count;
}

static stk_stage stage_of(const stk_json_value *value)
{
    const int64_t stage = stk_json_integer(value, 0);
    return stage > 0 && stage < STK_STAGE_COUNT ? (stk_stage)stage : STK_STAGE_NONE;
}

static int word_of(const stk_json_value *value, const char *(*name)(int), int count)
{
    const char *text = stk_json_text(value, "");
    for (int i = 0; i < count; i++)
        if (strcmp(name(i), text) == 0) return i;
    return count - 1;
}

static const char *class_at(int index)
{
    return stk_tune_class_name((stk_tune_class)index);
}

static const char *decision_at(int index)
{
    return stk_tune_decision_name((stk_tune_decision)index);
}

stk_tune_class stk_tune_read_class(const stk_json_value *value)
{
    return (stk_tune_class)word_of(value, class_at, STK_TUNE_LEARNING + 1);
}

void stk_tune_read_trial(stk_tune_trial *out, const stk_json_value *value)
{
    *out = (stk_tune_trial){.number = (int)stk_json_integer(stk_json_get(value, "number"), 0),
                            .stage = stage_of(stk_json_get(value, "stage")),
                            .kind = stk_tune_read_class(stk_json_get(value, "class"))};
    read_text(out->action, sizeof out->action, value, "action");
    read_text(out->title, sizeof out->title, value, "title");
    read_text(out->reason, sizeof out->reason, value, "reason");
    stk_tune_read_setting(&out->change, stk_json_get(value, "change"));
    stk_tune_read_setting(&out->before, stk_json_get(value, "before"));
    out->predicted = stk_tune_read_estimate(stk_json_get(value, "predicted"));
    out->gain = stk_tune_read_estimate(stk_json_get(value, "gain"));
    const int64_t observations = stk_json_integer(stk_json_get(value, "observations"), 0);
    out->observations = observations > 0 ? (size_t)observations : 0;
    out->rate_before = stk_json_number(stk_json_get(value, "rate_before"), 0);
    out->rate_after = stk_json_number(stk_json_get(value, "rate_after"), 0);
    out->joules_before = stk_json_number(stk_json_get(value, "joules_before"), 0);
    out->joules_after = stk_json_number(stk_json_get(value, "joules_after"), 0);
    out->seconds = stk_json_number(stk_json_get(value, "seconds"), 0);
    out->decision = (stk_tune_decision)word_of(stk_json_get(value, "decision"), decision_at,
                                               STK_TUNE_FAILED + 1);
}
