/* Candidates are tried in the order of predicted gain for the time that a trial takes. What was
 * dropped comes back when another stage limits, since its gain was hidden behind the old limit. */
#include "tune/search/pick.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MAX = 3, TRIED_MAX = 4096 };

/* A change without a prediction is thought to gain this much: more than nothing, less than what is
 * predicted to matter. */
static const double gain_unpredicted = 0.03;

void stk_tune_picker_release(stk_tune_picker *picker)
{
    free(picker->list);
    *picker = (stk_tune_picker){0};
}

stk_stage stk_tune_limit_stage(const stk_tune_limit *limit)
{
    int largest = STK_STAGE_NONE;
    if (!limit->known) return STK_STAGE_NONE;
    for (int i = STK_STAGE_NONE + 1; i < STK_STAGE_COUNT; i++)
        if (largest == STK_STAGE_NONE || limit->exposed[i] > limit->exposed[largest]) largest = i;
    return (stk_stage)largest;
}

static bool is_word_of(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        const size_t size = strcspn(at, ",");
        if (size == length && memcmp(at, word, length) == 0) return true;
    }
    return false;
}

static bool touches(const stk_tune_setting *change, const char *keys)
{
    for (size_t i = 0; i < change->count; i++)
        if (is_word_of(keys, change->list[i].key)) return true;
    return false;
}

static bool changes_anything(const stk_tune_setting *change, const stk_tune_setting *now)
{
    for (size_t i = 0; i < change->count; i++) {
        const char *is = stk_tune_setting_get(now, change->list[i].key);
        if (!is || strcmp(is, change->list[i].value) != 0) return true;
    }
    return false;
}

static stk_tune_tried *find(const stk_tune_picker *picker, const stk_tune_candidate *candidate)
{
    char text[2 * STK_TUNE_VALUE];
    stk_tune_setting_text(&candidate->change, text, sizeof text);
    for (size_t i = 0; i < picker->count; i++)
        if (strcmp(picker->list[i].action, candidate->action) == 0 &&
            strcmp(picker->list[i].change, text) == 0)
            return &picker->list[i];
    return NULL;
}

static bool is_eligible(const stk_tune_picker *picker, const stk_tune_candidate *c,
                        const stk_tune_setting *now, stk_stage limit)
{
    const stk_tune_tried *tried = find(picker, c);
    if (picker->only && !is_word_of(picker->only, c->action)) return false;
    if (is_word_of(picker->without, c->action) || touches(&c->change, picker->pinned)) return false;
    if (c->kind == STK_TUNE_LEARNING && !picker->allow_learning) return false;
    if (c->predicted.value >= -1 && c->predicted.high < picker->least) return false;
    if (!changes_anything(&c->change, now)) return false;
    return !tried || (!tried->final && tried->limit != limit && tried->times < TRIES_MAX);
}

static double worth(const stk_tune_picker *picker, const stk_tune_candidate *c)
{
    const double gain = c->predicted.value >= -1 ? c->predicted.value : gain_unpredicted;
    return log1p(fmax(gain, 1e-6)) / fmax(1e-3, c->cost_s + picker->trial_s);
}

const stk_tune_candidate *stk_tune_pick(const stk_tune_picker     *picker,
                                        const stk_tune_candidates *list,
                                        const stk_tune_setting *now, size_t *waiting)
{
    const stk_stage           limit = stk_tune_limit_stage(&list->limit);
    const stk_tune_candidate *best = NULL;
    *waiting = 0;
    for (size_t i = 0; i < list->count; i++) {
        const stk_tune_candidate *one = &list->list[i];
        if (!is_eligible(picker, one, now, limit)) continue;
        if (best) ++*waiting;
        if (!best || worth(picker, one) > worth(picker, best)) best = one;
    }
    return best;
}

static stk_status add(stk_tune_picker *picker, stk_tune_tried **out, stk_error *err)
{
    const size_t more = picker->capacity ? 2 * picker->capacity : 32;
    if (picker->count == picker->capacity) {
        stk_tune_tried *list =
            more > TRIED_MAX ? NULL : realloc(picker->list, more * sizeof *picker->list);
        if (!list)
            return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for %zu trials", more);
        picker->list = list;
        picker->capacity = more;
    }
    *out = &picker->list[picker->count++];
    return STK_OK;
}

stk_status stk_tune_picker_remember(stk_tune_picker *picker, const stk_tune_candidate *candidate,
                                    stk_stage limit, stk_tune_decision decision, stk_error *err)
{
    stk_tune_tried *tried = find(picker, candidate);
    if (!tried) {
        STK_TRY(add(picker, &tried, err));
        *tried = (stk_tune_tried){.times = 0};
        snprintf(tried->action, sizeof tried->action, "%s", candidate->action);
        stk_tune_setting_text(&candidate->change, tried->change, sizeof tried->change);
    }
    tried->limit = limit;
    tried->times++;
    tried->final = decision == STK_TUNE_REFUSED || decision == STK_TUNE_FAILED;
    return STK_OK;
}
