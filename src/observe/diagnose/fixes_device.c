/* Fixes for an asynchronous compute device. */
#include "observe/diagnose/fix.h"

#include <math.h>
#include <string.h>

/* A captured step is launched by one call. */
static void fix_by_recording(stk_diagnosis_ctx *c, const stk_device_use *u)
{
    const stk_profile *p = c->profile;
    const double       exposed = p->stages[STK_STAGE_COMPUTE].exposed_ns;
    stk_what_if        what;
    if (!stk_device_is_launch_bound(u) || !(exposed > 0)) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_COMPUTE] = fmin(1, p->device.work_ns / exposed);
    stk_fix *fix = stk_diagnosis_ctx_fix(c, STK_STAGE_COMPUTE, "record", &what);
    if (!fix) return;
    stk_fix_describe(fix, "play recorded steps: train without --eager and without a trace");
    stk_fix_because(
        fix,
        "starting operations one by one takes %.1f ms a step, and the GPU does them in %.1f ms",
        p->device.launch_ns / fmax(1, p->steps) / 1e6, p->device.work_ns / fmax(1, p->steps) / 1e6);
    stk_fix_set(fix, "knobs.eager=false");
    stk_fix_train(c, fix, "--set knobs.eager=false");
    stk_fix_recipe(fix, "knobs: {eager: false}");
}

/* 16-bit types gain between nothing and a factor of eight (H200), depending on the kernels of both
 * types. No number is predicted. */
static void fix_by_precision(stk_diagnosis_ctx *c, const stk_device_use *u)
{
    const stk_profile *p = c->profile;
    const bool         wide =
        strcmp(p->run.precision, "fp32") == 0 || strcmp(p->run.precision, "tf32") == 0;
    if (!wide || stk_device_is_launch_bound(u) ||
        c->fraction[STK_STAGE_COMPUTE].value < STK_FRACTION_LIMIT)
        return;
    stk_fix *fix = stk_diagnosis_ctx_fix_unpredicted(c, STK_STAGE_COMPUTE, "precision");
    if (!fix) return;
    fix->changes_training = true;
    stk_fix_describe(fix, "compute in 16 bits instead of %s", p->run.precision);
    stk_fix_because(fix, "%s",
                    "they are half the bytes, and tensor cores do many times the arithmetic of "
                    "float32: try it, a few steps tell");
    stk_fix_set(fix, "train.precision=fp16");
    stk_fix_train(c, fix, "--precision fp16");
    stk_fix_recipe(fix, "train: {precision: fp16}");
}

/* Copies and results that overlap compute cost nothing. */
static void fix_by_ahead(stk_diagnosis_ctx *c, stk_stage stage, const char *title, const char *why)
{
    stk_what_if what;
    if (c->fraction[stage].value < STK_FRACTION_WORTH) return;
    stk_what_if_init(&what);
    what.apart[stage] = true;
    stk_fix *fix = stk_diagnosis_ctx_fix_at_most(c, stage, "ahead", &what);
    if (!fix) return;
    stk_fix_describe(fix, "%s", title);
    stk_fix_because(fix, "%s", why);
    stk_fix_set(fix, "knobs.steps_in_flight=2");
    stk_fix_train(c, fix, "--set knobs.steps_in_flight=2");
    stk_fix_recipe(fix, "knobs: {steps_in_flight: 2}");
}

void stk_fixes_device(stk_diagnosis_ctx *c)
{
    const stk_device_use u = stk_diagnosis_ctx_device_use(c);
    if (!u.known) return;
    fix_by_recording(c, &u);
    fix_by_precision(c, &u);
    fix_by_ahead(c, STK_STAGE_HOST_TO_DEVICE, "copy batches while the GPU computes",
                 "the GPU waits for each batch: with steps begun ahead the next one crosses "
                 "meanwhile");
    fix_by_ahead(c, STK_STAGE_DEVICE_TO_HOST, "let results come late",
                 "the host waits for a result of every step, and the GPU for the host's next step");
}
