/* Fixes for a run that compute limits: S4. */
#include "observe/diagnose/fix.h"

#include <math.h>
#include <stdio.h>
#include <stoker/text.h>

/* An operation with this fraction of compute's time is named, even if it is necessary. */
static const double op_worth = 0.25;
/* Speed-up of compute from which a batch size is advised, and the fraction of it that a run keeps
 * at least: it was measured briefly. */
static const double batch_worth = 1.1, batch_min = 0.6;
/* Fraction of time waiting for cores that indicates other programs. */
static const double quiet_worth = 0.1;

/* If input limits, larger batches take proportionally longer to prepare. */
static bool input_limits(const stk_diagnosis_ctx *c)
{
    return c->fraction[STK_STAGE_READ].value >= STK_FRACTION_LIMIT ||
           c->fraction[STK_STAGE_PREPROCESS].value >= STK_FRACTION_LIMIT ||
           c->fraction[STK_STAGE_HOST_TO_DEVICE].value >= STK_FRACTION_LIMIT;
}

/* A larger batch amortises the fixed time of a step. */
static void fix_by_batch(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    int64_t            batch;
    stk_what_if        what;
    const double       faster = stk_diagnosis_ctx_best_batch(c, &batch);
    if (batch == p->run.batch || faster < batch_worth || input_limits(c)) return;
    stk_what_if_init(&what);
    for (int s = STK_STAGE_NONE; s < STK_STAGE_COUNT; s++)
        if (s == STK_STAGE_NONE || s > STK_STAGE_COMPUTE)
            what.factor[s] = (double)p->run.batch / (double)batch;
    stk_what_if weak = what;
    what.factor[STK_STAGE_COMPUTE] = 1 / faster;
    weak.factor[STK_STAGE_COMPUTE] = 1 / (1 + batch_min * (faster - 1));
    stk_fix *fix = stk_diagnosis_ctx_fix_between(c, STK_STAGE_COMPUTE, "batch", &weak, &what);
    if (!fix) return;
    fix->changes_training = true;
    stk_fix_describe(fix, "use a batch of %lld instead of %lld", (long long)batch,
                     (long long)p->run.batch);
    stk_fix_because(fix, "compute alone was measured to do %.0f %% more samples a second with it",
                    100 * (faster - 1));
    stk_fix_set(fix, "data.batch=%lld", (long long)batch);
    stk_fix_train(c, fix, "--batch %lld", (long long)batch);
    stk_fix_recipe(fix, "data: {batch: %lld}", (long long)batch);
}

static void fix_operation(stk_diagnosis_ctx *c, const stk_op_time_fraction *op, bool odd)
{
    stk_what_if what;
    stk_what_if_init(&what);
    what.factor[STK_STAGE_COMPUTE] = 1 - (odd ? op->fraction : op->fraction / 2);
    stk_fix *fix = odd ? stk_diagnosis_ctx_fix(c, STK_STAGE_COMPUTE, "operation", &what)
                       : stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_COMPUTE, "operation", &what);
    if (!fix) return;
    fix->changes_training = true;
    fix->supposed = !odd;
    stk_fix_describe(fix, "%s operation %.80s (%.30s); predicted for %s",
                     odd ? "replace" : "make smaller", *op->name ? op->name : "without a name",
                     op->operation, odd ? "doing without it" : "half its time");
    if (op->roofline >= 0)
        stk_fix_because(fix, "it takes %.0f %% of compute's time for %.0f %% of its work",
                        100 * op->fraction, 100 * op->roofline);
    else
        stk_fix_because(fix, "it takes %.0f %% of compute's time", 100 * op->fraction);
    char model[STK_FIX_WORD];
    if (*c->profile->run.model &&
        stk_shell_word(model, sizeof model, c->profile->run.model) < sizeof model)
        snprintf(fix->command, sizeof fix->command, "stoker bench compute %s --ops", model);
}

/* An operation that stands out can be replaced; of the most expensive other one half may be
 * saved. */
static void fix_by_operations(stk_diagnosis_ctx *c)
{
    stk_op_time_fraction ops[STK_DIAGNOSIS_OPS];
    const size_t         count = stk_diagnosis_top_ops(c, ops);
    for (size_t i = 0; i < count; i++)
        if (stk_diagnosis_ctx_op_stands_out(&ops[i])) fix_operation(c, &ops[i], true);
    if (count && ops[0].fraction >= op_worth && !stk_diagnosis_ctx_op_stands_out(&ops[0]))
        fix_operation(c, &ops[0], false);
}

/* For cores that other programs use. */
void stk_fixes_quiet(stk_diagnosis_ctx *c)
{
    const stk_sim_model     *m = c->model;
    const stk_profile_stage *s = &c->profile->stages[STK_STAGE_COMPUTE];
    stk_what_if              what;
    if (!(s->cpu_ns > 0) || !(s->runnable_ns > 0) || m->threads + m->helpers > m->cores) return;
    const double waits = s->runnable_ns / (s->cpu_ns + s->runnable_ns);
    stk_what_if_init(&what);
    what.factor[STK_STAGE_COMPUTE] = 1 - waits;
    if (waits < quiet_worth) return;
    stk_fix *fix = stk_diagnosis_ctx_fix_at_most(c, STK_STAGE_COMPUTE, "quiet", &what);
    if (!fix) return;
    stk_fix_describe(fix, "end other programs: they use cores that compute needs");
    stk_fix_because(
        fix,
        "compute was ready but without a core for %.0f %% of its time (threads: %.0f, cores: %.0f)",
        100 * waits, m->threads + m->helpers, m->cores);
    snprintf(fix->command, sizeof fix->command, "top");
}

static void fix_by_fewer_threads(stk_diagnosis_ctx *c)
{
    const stk_sim_model *m = c->model;
    stk_what_if          what;
    const int            threads = (int)(m->cores - m->helpers);
    if (!(m->contention > 0) || threads < 1 || threads >= m->threads) return;
    stk_what_if_init(&what);
    what.threads = threads;
    stk_fix *fix = stk_diagnosis_ctx_fix(c, STK_STAGE_COMPUTE, "fewer_threads", &what);
    if (!fix) return;
    stk_fix_describe(fix, "compute on %d threads", threads);
    stk_fix_because(
        fix, "%.0f threads share %.0f cores; those that compute wait %.0f %% of their time for one",
        m->threads + m->helpers, m->cores, 100 * m->contention);
    stk_fix_set(fix, "knobs.threads=%d", threads);
    stk_fix_train(c, fix, "--threads %d", threads);
    stk_fix_recipe(fix, "knobs: {threads: %d}", threads);
}

void stk_fixes_compute(stk_diagnosis_ctx *c)
{
    fix_by_batch(c);
    fix_by_operations(c);
    fix_by_fewer_threads(c);
}
