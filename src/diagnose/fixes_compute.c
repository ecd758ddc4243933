/* What helps when compute limits: S4. */
#include "diagnose/case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An operation with so much of compute's time is named, essential or not. */
static const double op_worth = 0.25;
/* Threads that wait so much for cores are held up by others. */
static const double quiet_worth = 0.1;

/* What stays the same for a step, whatever its batch, is paid less often. */
static void fix_by_batch(stk_case *c)
{
    const stk_profile *p = c->profile;
    int64_t            batch;
    stk_what_if        what;
    const double       faster = stk_case_best_batch(c, &batch);
    if (batch == p->run.batch || faster <= 1) return;
    stk_what_if_init(&what);
    for (int s = STK_STAGE_NONE; s < STK_STAGE_COUNT; s++)
        if (s == STK_STAGE_NONE || s > STK_STAGE_COMPUTE)
            what.factor[s] = (double)p->run.batch / (double)batch;
    what.factor[STK_STAGE_COMPUTE] = 1 / faster;
    stk_fix *fix = stk_case_fix(c, STK_STAGE_COMPUTE, &what);
    if (!fix) return;
    fix->changes_training = true;
    snprintf(fix->title, sizeof fix->title, "use a batch of %lld instead of %lld", (long long)batch,
             (long long)p->run.batch);
    snprintf(fix->why, sizeof fix->why,
             "compute alone was measured to do %.0f %% more samples a second with it",
             100 * (faster - 1));
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --batch %lld", p->run.data,
             (long long)batch);
    snprintf(fix->recipe, sizeof fix->recipe, "data: {batch: %lld}", (long long)batch);
}

/* One that stands out can be done without; of one that is only large, half may be saved. */
static void fix_by_operation(stk_case *c)
{
    const stk_op_cost op = stk_case_dearest_op(c);
    const bool        odd = stk_case_op_stands_out(&op);
    stk_what_if       what;
    if (op.share < op_worth && !odd) return;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_COMPUTE] = 1 - (odd ? op.share : op.share / 2);
    stk_fix *fix = stk_case_fix(c, STK_STAGE_COMPUTE, &what);
    if (!fix) return;
    fix->changes_training = true;
    fix->supposed = !odd;
    snprintf(fix->title, sizeof fix->title, "%s operation %.80s (%.30s); foretold for %s",
             odd ? "replace" : "make smaller", *op.name ? op.name : "without a name", op.operation,
             odd ? "doing without it" : "half its time");
    if (op.roof >= 0)
        snprintf(fix->why, sizeof fix->why,
                 "it takes %.0f %% of compute's time for %.0f %% of its work", 100 * op.share,
                 100 * op.roof);
    else
        snprintf(fix->why, sizeof fix->why, "it takes %.0f %% of compute's time", 100 * op.share);
    snprintf(fix->command, sizeof fix->command, "stoker bench compute %.90s --ops",
             c->profile->run.model);
}

/* Cores that are there, but not for us. */
static void fix_by_quiet(stk_case *c)
{
    const stk_model         *m = c->model;
    const stk_profile_stage *s = &c->profile->stages[STK_STAGE_COMPUTE];
    stk_what_if              what;
    if (!(s->cpu_ns > 0) || !(s->runnable_ns > 0) || m->threads + m->helpers > m->cores) return;
    const double waits = s->runnable_ns / (s->cpu_ns + s->runnable_ns);
    stk_what_if_init(&what);
    what.factor[STK_STAGE_COMPUTE] = 1 - waits;
    stk_fix *fix = waits >= quiet_worth ? stk_case_fix(c, STK_STAGE_COMPUTE, &what) : NULL;
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title,
             "end other programs: they use cores that compute needs");
    snprintf(fix->why, sizeof fix->why,
             "%.0f threads on %.0f cores were ready but without a core for %.0f %% of their time",
             m->threads + m->helpers, m->cores, 100 * waits);
    snprintf(fix->command, sizeof fix->command, "top");
}

static void fix_by_fewer_threads(stk_case *c)
{
    const stk_model *m = c->model;
    stk_what_if      what;
    const int        threads = (int)(m->cores - m->helpers);
    if (!(m->contention > 0) || threads < 1 || threads >= m->threads) return;
    stk_what_if_init(&what);
    what.threads = threads;
    stk_fix *fix = stk_case_fix(c, STK_STAGE_COMPUTE, &what);
    if (!fix) return;
    snprintf(fix->title, sizeof fix->title, "compute on %d threads", threads);
    snprintf(fix->why, sizeof fix->why,
             "%.0f threads share %.0f cores; those that compute wait %.0f %% of their time for one",
             m->threads + m->helpers, m->cores, 100 * m->contention);
    snprintf(fix->command, sizeof fix->command, "stoker train %.150s --threads %d",
             c->profile->run.data, threads);
    snprintf(fix->recipe, sizeof fix->recipe, "knobs: {threads: %d}", threads);
}

void stk_fixes_compute(stk_case *c)
{
    fix_by_batch(c);
    fix_by_operation(c);
    fix_by_fewer_threads(c);
    fix_by_quiet(c);
}
