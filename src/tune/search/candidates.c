/* Lists of candidates, and as JSON. */
#include "tune/search/candidates.h"
#include <stdio.h>

void stk_tune_candidates_add(stk_tune_candidates *list, const stk_tune_candidate *candidate)
{
    if (list->count < STK_TUNE_CANDIDATES) list->list[list->count++] = *candidate;
}

void stk_tune_candidates_write(stk_json_writer *w, const stk_tune_candidates *list)
{
    stk_tune_write_limit(w, "limit", &list->limit);
    stk_tune_write_advice(w, list->advice, list->advice_count);
    stk_json_key(w, "list");
    stk_json_array(w);
    for (size_t i = 0; i < list->count; i++) {
        const stk_tune_candidate *one = &list->list[i];
        stk_json_object(w);
        stk_json_pair_string(w, "action", one->action);
        stk_json_pair_string(w, "title", one->title);
        stk_json_pair_int(w, "stage", one->stage);
        stk_json_pair_string(w, "class", stk_tune_class_name(one->kind));
        stk_tune_write_setting(w, "change", &one->change);
        stk_tune_write_setting(w, "before", &one->was);
        stk_tune_write_estimate(w, "predicted", &one->predicted);
        stk_json_pair_double(w, "cost_s", one->cost_s);
        stk_json_object_end(w);
    }
    stk_json_array_end(w);
}

static void read_one(stk_tune_candidate *out, const stk_json_value *value)
{
    stk_tune_trial same; /* the keys are a trial's */
    stk_tune_read_trial(&same, value);
    *out = (stk_tune_candidate){.stage = same.stage,
                                .kind = same.kind,
                                .change = same.change,
                                .was = same.before,
                                .predicted = same.predicted,
                                .cost_s = stk_json_number(stk_json_get(value, "cost_s"), 0)};
    snprintf(out->action, sizeof out->action, "%s", same.action);
    snprintf(out->title, sizeof out->title, "%s", same.title);
}

void stk_tune_candidates_read(stk_tune_candidates *out, const stk_json_value *event)
{
    const stk_json_value *list = stk_json_get(event, "list");
    const size_t          count = stk_json_count(list);
    out->count = 0;
    stk_tune_read_limit(&out->limit, stk_json_get(event, "limit"));
    out->advice_count = stk_tune_read_advice(out->advice, stk_json_get(event, "advice"));
    for (size_t i = 0; i < count && out->count < STK_TUNE_CANDIDATES; i++)
        read_one(&out->list[out->count++], stk_json_at(list, i));
}
