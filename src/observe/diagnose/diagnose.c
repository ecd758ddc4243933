/* Diagnosis: from a profile to bottlenecks, causes and fixes. */
#include "observe/diagnose/context.h"

#include <stdio.h>

enum { FEWEST_STEPS = 10 };

/* Addition to the verdict for a cause; NULL: none. */
static const char *because(stk_cause cause)
{
    static const char *const words[STK_CAUSE_COUNT] = {
        [STK_CAUSE_READ_BANDWIDTH] = "bytes a second",
        [STK_CAUSE_READ_LATENCY] = "each read is late",
        [STK_CAUSE_CORES] = "all cores are used",
        [STK_CAUSE_WORKERS] = "too few threads prepare",
        [STK_CAUSE_LAUNCH] = "the batch is small",
        [STK_CAUSE_OPERATION] = "one operation stands out",
        [STK_CAUSE_CONTENTION] = "threads wait for cores",
        [STK_CAUSE_VARIANCE] = "fast enough, but uneven",
        [STK_CAUSE_MEMORY] = "the device's memory is the limit",
        [STK_CAUSE_MATH] = "the device's arithmetic is the limit, as it should",
    };
    return words[cause];
}

static void describe_compute(const stk_diagnosis_ctx *c)
{
    stk_diagnosis       *d = c->out;
    const stk_device_use use = stk_diagnosis_ctx_device_use(c);
    const char          *why = because(d->limit.cause);
    if (stk_device_is_launch_bound(&use)) why = "the GPU waits to be told what to do";
    if (why)
        snprintf(d->verdict, sizeof d->verdict,
                 "S4 compute limits (%.0f %% of a step): %s; see the fixes", 100 * d->compute_share,
                 why);
    else if (d->compute_share >= 0.9)
        snprintf(d->verdict, sizeof d->verdict,
                 "S4 compute limits, as it should: %.0f %% of a step is compute",
                 100 * d->compute_share);
    else
        snprintf(d->verdict, sizeof d->verdict,
                 "S4 compute limits: %.0f %% of a step; nothing else costs 10 %%",
                 100 * d->compute_share);
}

static void describe_verdict(const stk_diagnosis_ctx *c)
{
    stk_diagnosis        *d = c->out;
    const stk_bottleneck *l = &d->limit;
    const char           *why = because(l->cause), *name = stk_stage_name(l->stage);
    char                  now[32], then[32], gain[32];
    if (l->stage == STK_STAGE_COMPUTE) {
        describe_compute(c);
        return;
    }
    snprintf(d->verdict, sizeof d->verdict,
             "%s limits%s%s%s: %.0f %% of a step; without it %s instead of %s %s/s (%s), then %s",
             l->stage ? name : "the loop itself", why ? " (" : "", why ? why : "", why ? ")" : "",
             100 * l->share.value, stk_rate_text(then, sizeof then, l->if_removed.value),
             stk_rate_text(now, sizeof now, c->rate), stk_diagnosis_ctx_unit(c),
             stk_gain_text(gain, sizeof gain, l->if_removed.value / c->rate - 1),
             l->next ? stk_stage_name(l->next) : "the loop itself");
}

static void judge(stk_diagnosis_ctx *c)
{
    stk_what_if as_it_was;
    stk_what_if_init(&as_it_was);
    stk_diagnosis_ctx_expose(c);
    c->out->samples_per_s = stk_sim_model_estimate(c->model, &as_it_was);
    c->out->compute_share = c->fraction[STK_STAGE_COMPUTE].value;
    stk_diagnosis_ctx_rank(c);
    stk_diagnosis_ctx_capacities(c);
    stk_diagnosis_ctx_evidence(c);
    stk_diagnosis_ctx_fixes(c);
    describe_verdict(c);
    stk_diagnosis_calibrate(c->out);
}

static void give_up(stk_diagnosis_ctx *c)
{
    stk_diagnosis *d = c->out;
    d->samples_per_s = (stk_estimate){-1, -1, -1};
    snprintf(d->verdict, sizeof d->verdict,
             "nothing can be said yet: %zu like steps were recorded, and %d are needed",
             c->model->count, FEWEST_STEPS);
}

stk_status stk_diagnose(stk_diagnosis *out, const stk_profile *profile, stk_error *err)
{
    stk_sim_model model;
    *out = (stk_diagnosis){.limit = {.stage = STK_STAGE_COMPUTE, .next = STK_STAGE_COMPUTE}};
    STK_TRY(stk_sim_model_make(&model, profile, err));
    stk_diagnosis_ctx c = {.profile = profile, .model = &model, .out = out};
    snprintf(out->unit, sizeof out->unit, "%s", stk_diagnosis_ctx_unit(&c));
    snprintf(out->framework, sizeof out->framework, "%s", profile->program.framework);
    if (model.count >= FEWEST_STEPS)
        judge(&c);
    else
        give_up(&c);
    stk_diagnosis_ctx_phases(&c);
    stk_diagnosis_ctx_usage(&c);
    stk_diagnosis_ctx_warnings(&c);
    stk_sim_model_release(&model);
    return STK_OK;
}
