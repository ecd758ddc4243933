/* What limits a setting, and what could be tried: a short profile, then every action. */
#include "tune/actions/action.h"
#include "tune/recipe/recipe_subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/profiler.h>
#include <string.h>

/* Less of both in a search that is shorter than a minute. */
static const double profile_s = 4, extra_s = 2, full_budget_s = 60;

typedef struct look {
    stk_train_recipe      asked, resolved;
    const stk_train_data *data;
    stk_profiler_result   result;
    stk_lint_machine      machine;
    stk_lint_storage      storage;
} look;

static void fill_limit(stk_tune_limit *limit, const look *l)
{
    const stk_profile *p = &l->result.profile;
    *limit = (stk_tune_limit){.known = p->measured_ns > 0};
    snprintf(limit->verdict, sizeof limit->verdict, "%s", l->result.diagnosis.verdict);
    for (int i = 0; limit->known && i < STK_STAGE_COUNT; i++)
        limit->exposed[i] = fmin(1, fmax(0, p->stages[i].exposed_ns / p->measured_ns));
}

static void advise(stk_tune_candidates *out, const char *text, double gain, double low, double high)
{
    if (out->advice_count == STK_TUNE_ADVICE) return;
    stk_tune_advice *one = &out->advice[out->advice_count++];
    *one = (stk_tune_advice){.gain = {gain, low, high}};
    snprintf(one->text, sizeof one->text, "%s", text);
}

/* Fixes that no setting of a recipe carries out. */
static void advise_by_hand(stk_tune_candidates *out, const stk_diagnosis *d)
{
    char text[STK_TUNE_LINE];
    for (size_t i = 0; i < d->fix_count; i++) {
        const stk_fix *fix = &d->fixes[i];
        if (fix->set_count || *fix->data || *fix->recipe || fix->supposed) continue;
        if (snprintf(text, sizeof text, "%s: %s", fix->title, fix->why) >= (int)sizeof text)
            snprintf(text, sizeof text, "%s", fix->title); /* half a reason is none */
        advise(out, text, fix->samples_per_s.value < 0 ? -2 : fix->gain, fix->gain_low,
               fix->gain_high);
    }
}

/* What other hardware would give, where it would give something. */
static void advise_hardware(stk_tune_candidates *out, const look *l, double least)
{
    static const struct {
        stk_stage   stage;
        double      factor;
        const char *text;
    } parts[] = {{STK_STAGE_READ, 0.5, "storage that reads twice as fast"},
                 {STK_STAGE_PREPROCESS, 0.5, "twice as many cores for the input"},
                 {STK_STAGE_COMPUTE, 0.5, "a device (or cores) that computes twice as fast"},
                 {STK_STAGE_WRITE, 0.5, "storage that writes twice as fast"}};
    const double now = l->result.diagnosis.samples_per_s.value;
    for (size_t i = 0; now > 0 && i < sizeof parts / sizeof *parts; i++) {
        stk_what_if what;
        stk_what_if_init(&what);
        what.factor[parts[i].stage] = parts[i].factor;
        const stk_estimate then = stk_simulate(&l->result.profile, &what);
        if (then.low / now - 1 < fmax(least, 0.05)) continue;
        advise(out, parts[i].text, then.value / now - 1, then.low / now - 1, then.high / now - 1);
    }
}

static const stk_param *param_of(const char *key)
{
    const stk_param *param;
    char             name[STK_TUNE_KEY];
    for (size_t i = 0; (param = stk_train_key_at(i)); i++) {
        snprintf(name, sizeof name, "%s.%s", param->group, param->name);
        if (strcmp(name, key) == 0) return param;
    }
    return NULL;
}

/* The values that a change replaces; keys of packs have none. */
static void fill_was(stk_tune_candidate *candidate, const look *l)
{
    char value[STK_TUNE_VALUE];
    for (size_t i = 0; i < candidate->change.count; i++) {
        const char      *key = candidate->change.list[i].key;
        const stk_param *param = param_of(key);
        if (!param) continue;
        stk_param_print(param, &l->resolved, value, sizeof value);
        (void)!stk_tune_setting_set(&candidate->was, key, value, NULL);
    }
}

static void propose(stk_recipe_subject *subject, const stk_tune_setting *now, const look *l,
                    stk_tune_candidates *out)
{
    const stk_action_context c = {.recipe = &l->resolved,
                                  .asked = &l->asked,
                                  .now = now,
                                  .data = l->data,
                                  .profile = &l->result.profile,
                                  .diagnosis = &l->result.diagnosis,
                                  .machine = &l->machine,
                                  .options = subject->options,
                                  .device = l->result.profile.device.work_ns >= 0,
                                  .data_bytes = *l->storage.kind ? (double)l->storage.bytes : -1};
    const stk_tune_action   *action;
    for (size_t i = 0; (action = stk_tune_actions_at(i)); i++)
        action->propose(action, &c, out);
    for (size_t i = 0; i < out->count; i++)
        fill_was(&out->list[i], l);
}

static stk_status look_at(stk_recipe_subject *subject, const stk_tune_setting *now, look *l,
                          stk_error *err)
{
    const stk_tune_options    *o = subject->options;
    const double               share = fmin(1, stk_tune_budget_s(o) / full_budget_s);
    const stk_profiler_options how = {.seconds = profile_s * share,
                                      .extra_seconds = extra_s * share,
                                      .inject = o->inject,
                                      .no_trace = true,
                                      .no_page = true,
                                      .cancel = o->cancel};
    STK_TRY(stk_recipe_settings_apply(&l->asked, &subject->settings, now, err));
    STK_TRY(stk_recipe_settings_resolve(&l->resolved, &l->data, &subject->settings, now, err));
    STK_TRY(stk_profiler_run(&l->result, &l->resolved, l->data, &how, err));
    stk_lint_machine_read(&l->machine);
    stk_lint_storage_read(&l->storage, &l->resolved);
    return STK_OK;
}

stk_status stk_recipe_list(stk_recipe_subject *subject, const stk_tune_setting *now,
                           stk_tune_candidates *out, stk_error *err)
{
    look *l = calloc(1, sizeof *l);
    if (!l) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a profile");
    stk_profile_init(&l->result.profile);
    const stk_status st = look_at(subject, now, l, err);
    if (!st) {
        fill_limit(&out->limit, l);
        propose(subject, now, l, out);
        advise_by_hand(out, &l->result.diagnosis);
        advise_hardware(out, l, subject->options->least);
    }
    stk_profiler_result_release(&l->result);
    free(l);
    return st;
}
