/* What helps a device that computes behind the training thread's back. */
#include "diagnose/case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Foretold: 16 bits are half the bytes; tensor cores do four times the arithmetic of float32. */
static const double bytes_saved = 0.5, arithmetic_saved = 0.75;

static bool is_ours(const stk_profile *p)
{
    return !*p->run.source || strcmp(p->run.source, "stoker") == 0;
}

/* A step that is recorded and played is started by one call. */
static void fix_by_recording(stk_case *c, const stk_device_use *u)
{
    const stk_profile *p = c->profile;
    const double       exposed = p->stages[STK_STAGE_COMPUTE].exposed_ns;
    stk_what_if        what;
    if (!stk_device_is_late(u) || !(exposed > 0)) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_COMPUTE] = fmin(1, p->device.work_ns / exposed);
    stk_fix *fix = stk_case_fix(c, STK_STAGE_COMPUTE, &what);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title, "%s",
             is_ours(p) ? "play recorded steps: train without --eager and without a trace"
                        : "record steps as CUDA graphs: one launch instead of hundreds");
    snprintf(
        fix->why, sizeof fix->why,
        "starting operations one by one takes %.1f ms a step, and the GPU does them in %.1f ms",
        p->device.launch_ns / fmax(1, p->steps) / 1e6, p->device.work_ns / fmax(1, p->steps) / 1e6);
    if (!is_ours(p)) return;
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s", p->run.data);
    snprintf(fix->recipe, sizeof fix->recipe, "knobs: {eager: false}");
}

static void fix_by_precision(stk_case *c, const stk_device_use *u)
{
    const stk_profile *p = c->profile;
    const bool         wide =
        strcmp(p->run.precision, "fp32") == 0 || strcmp(p->run.precision, "tf32") == 0;
    const double saved = bytes_saved * u->memory + arithmetic_saved * u->math;
    stk_what_if  what;
    if (!u->known || !wide || !(saved > 0)) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_COMPUTE] = 1 - saved;
    stk_fix *fix = stk_case_fix(c, STK_STAGE_COMPUTE, &what);
    if (!fix) return;
    fix->changes_training = fix->supposed = true;
    snprintf(fix->title, sizeof fix->title, "compute in 16 bits instead of %s", p->run.precision);
    snprintf(fix->why, sizeof fix->why,
             "%.0f %% of the GPU's time goes to operations at the limit of its memory, %.0f %% to "
             "those at that of arithmetic",
             100 * u->memory, 100 * u->math);
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --precision fp16",
             p->run.data);
    snprintf(fix->recipe, sizeof fix->recipe, "train: {precision: fp16}");
}

/* Copies and results that the GPU does not wait for cost nothing. */
static void fix_by_ahead(stk_case *c, stk_stage stage, const char *title, const char *why)
{
    stk_what_if what;
    if (c->share[stage].value < STK_SHARE_WORTH || !is_ours(c->profile)) return;
    stk_what_if_init(&what);
    what.apart[stage] = true;
    stk_fix *fix = stk_case_fix(c, stage, &what);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title, "%s", title);
    snprintf(fix->why, sizeof fix->why, "%s", why);
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s", c->profile->run.data);
    snprintf(fix->recipe, sizeof fix->recipe, "knobs: {ahead: 2}");
}

void stk_fixes_device(stk_case *c)
{
    const stk_device_use u = stk_case_device_use(c);
    if (!u.known) return;
    fix_by_recording(c, &u);
    fix_by_precision(c, &u);
    fix_by_ahead(c, STK_STAGE_HOST_TO_DEVICE, "copy batches while the GPU computes",
                 "the GPU waits for each batch: with steps begun ahead the next one crosses "
                 "meanwhile");
    fix_by_ahead(c, STK_STAGE_DEVICE_TO_HOST, "let results come late",
                 "the host waits for a result of every step, and the GPU for the host's next step");
}
