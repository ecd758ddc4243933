/* Candidates and their predictions. */
#include "tune/actions/action.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

stk_tune_candidate stk_action_candidate(const stk_tune_action *self, const char *title, ...)
{
    stk_tune_candidate out = {
        .stage = self->info.stage, .kind = self->info.kind, .predicted = {-2, -1, INFINITY}};
    va_list list;
    snprintf(out.action, sizeof out.action, "%s", self->info.name);
    va_start(list, title);
    vsnprintf(out.title, sizeof out.title, title, list);
    va_end(list);
    return out;
}

void stk_action_set(stk_tune_candidate *candidate, const char *key, const char *format, ...)
{
    char    value[STK_TUNE_VALUE];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(value, sizeof value, format, list);
    va_end(list);
    if (length < 0 || (size_t)length >= sizeof value) return;
    (void)!stk_tune_setting_set(&candidate->change, key, value, NULL);
}

void stk_action_predict(stk_tune_candidate *candidate, double low, double value, double high)
{
    candidate->predicted = (stk_estimate){value, low, high};
}

bool stk_action_predict_by_fix(stk_tune_candidate *candidate, const stk_action_context *c,
                               const char *name)
{
    const stk_diagnosis *d = c->diagnosis;
    for (size_t i = 0; i < d->fix_count; i++) {
        const stk_fix *fix = &d->fixes[i];
        if (strcmp(fix->name, name) != 0 || fix->samples_per_s.value < 0) continue;
        stk_action_predict(candidate, fix->gain_low, fix->at_most ? fix->gain / 2 : fix->gain,
                           fix->gain_high);
        return true;
    }
    return false;
}

double stk_action_exposed(const stk_action_context *c, stk_stage stage)
{
    const stk_profile *p = c->profile;
    if (!(p->measured_ns > 0)) return 0;
    return fmin(1, fmax(0, p->stages[stage].exposed_ns / p->measured_ns));
}

void stk_action_predict_by_exposure(stk_tune_candidate *candidate, const stk_action_context *c,
                                    stk_stage first, stk_stage last)
{
    double exposed = 0;
    for (int stage = (int)first; stage <= (int)last; stage++)
        exposed += stk_action_exposed(c, (stk_stage)stage);
    exposed = fmin(exposed, 0.99);
    stk_action_predict(candidate, 0, 1 / (1 - exposed / 2) - 1, 1 / (1 - exposed) - 1);
}

void stk_action_predict_by_simulation(stk_tune_candidate *candidate, const stk_action_context *c,
                                      const stk_what_if *what)
{
    const stk_estimate then = stk_simulate(c->profile, what);
    const double       now = c->diagnosis->samples_per_s.value;
    if (!(now > 0) || !(then.value > 0)) return;
    stk_action_predict(candidate, then.low / now - 1, then.value / now - 1, then.high / now - 1);
}
