/* A subject of a search without a machine. */
#include "tune/simulated_subject.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

double simulated_uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

double simulated_normal(uint64_t *state)
{
    return sqrt(-2 * log(simulated_uniform(state))) * cos(2 * M_PI * simulated_uniform(state));
}

static stk_status list(void *context, const stk_tune_setting *now, stk_tune_candidates *out,
                       stk_error *err)
{
    simulated *s = context;
    if (s->stops_in_list) stk_cancel_request(&s->cancel);
    STK_TRY(stk_cancel_check(&s->cancel, "sim", err));
    out->limit = (stk_tune_limit){.known = true};
    out->limit.exposed[s->moves && now->count ? STK_STAGE_COMPUTE : STK_STAGE_READ] = 0.5;
    for (size_t i = 0; i < s->count; i++) {
        const simulated_change *change = &s->changes[i];
        stk_tune_candidate      one = {
                 .stage = STK_STAGE_READ,
                 .kind = change->kind,
                 .predicted = {change->predicted, change->predicted / 2, change->predicted * 2}};
        snprintf(one.action, sizeof one.action, "%s", change->key);
        snprintf(one.title, sizeof one.title, "change %s", change->key);
        (void)!stk_tune_setting_set(&one.change, change->key, "1", NULL);
        stk_tune_candidates_add(out, &one);
    }
    return STK_OK;
}

static stk_status open(void *context, const stk_tune_setting *setting, void **out, stk_error *err)
{
    simulated *s = context;
    double     rate = 1000;
    *out = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const simulated_change *change = &s->changes[i];
        if (!stk_tune_setting_get(setting, change->key)) continue;
        if (change->fails) return stk_fail(err, STK_E_NOMEM, "sim", change->key, "it does not fit");
        if (!change->needs || stk_tune_setting_get(setting, change->needs)) rate *= change->factor;
    }
    simulated_arm *arm = *out = &s->arms[s->opened - s->closed];
    *arm = (simulated_arm){s, rate};
    s->opened++;
    return STK_OK;
}

static stk_status measure(void *of, stk_tune_block *out, stk_error *err)
{
    const simulated_arm *arm = of;
    simulated           *s = arm->s;
    (void)err;
    if (s->cancel_after && ++s->blocks >= s->cancel_after) stk_cancel_request(&s->cancel);
    *out = (stk_tune_block){arm->rate * exp(s->noise * simulated_normal(&s->state)), 1, 0};
    return STK_OK;
}

static void close(void *of)
{
    const simulated_arm *arm = of;
    if (arm) arm->s->closed++;
}

static stk_status guard(void *context, const stk_tune_setting *before,
                        const stk_tune_setting *after, const stk_tune_candidate *candidate,
                        stk_tune_guard_result *out, stk_error *err)
{
    simulated *s = context;
    (void)before, (void)after, (void)err;
    out->passed = true;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->changes[i].key, candidate->action) == 0) out->passed = !s->changes[i].guarded;
    snprintf(out->reason, sizeof out->reason, out->passed ? "" : "it learns something else");
    return STK_OK;
}

stk_tune_subject simulated_table(simulated *s)
{
    return (stk_tune_subject){.blocks_of_four = true,
                              .observations_max = 40,
                              .noise_observations = 5,
                              .confirm_observations = 8,
                              .list = list,
                              .open = open,
                              .measure = measure,
                              .close = close,
                              .guard = guard,
                              .context = s};
}
