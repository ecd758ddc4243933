/* Times and bottlenecks of training, evaluation and checkpoints. A short phase needs no fix,
 * however slow it is. */
#include "observe/diagnose/context.h"

#include <math.h>
#include <stdio.h>

static stk_phase_verdict *add(stk_diagnosis *d, const char *name, double ns, double times)
{
    if (!(ns > 0) || d->phase_count == STK_DIAGNOSIS_PHASES) return NULL;
    stk_phase_verdict *p = &d->phases[d->phase_count++];
    *p = (stk_phase_verdict){.ns = ns, .times = times, .stage_share = -1};
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

static void set_stage(stk_phase_verdict *p, int stage, double ns)
{
    p->stage = (stk_stage)stage;
    p->stage_share = fmin(1, ns / p->ns);
}

/* Steps without their checkpoints, which are a phase of their own. */
static void add_training(stk_diagnosis *d, const stk_profile *profile, double written)
{
    stk_phase_verdict *p = add(d, "train", profile->measured_ns - written, profile->steps);
    int                top = STK_STAGE_COMPUTE;
    if (!p) return;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        if (s != STK_STAGE_WRITE && profile->stages[s].exposed_ns > profile->stages[top].exposed_ns)
            top = s;
    set_stage(p, top, profile->stages[top].exposed_ns);
    snprintf(p->sentence, sizeof p->sentence, "%s takes %.0f %% of it%s",
             top ? stk_stage_name(p->stage) : "the loop itself", 100 * p->stage_share,
             top == STK_STAGE_COMPUTE ? ", as it should" : "");
}

static const char *why_evaluation(int stage)
{
    if (stage == STK_STAGE_COMPUTE) return ", as it should";
    if (stage == STK_STAGE_NONE) return ": opening the data and filling its queues";
    return ": it waits for its batches";
}

static void add_evaluation(stk_diagnosis *d, const stk_profile *profile)
{
    stk_phase_verdict *p = add(d, "evaluate", profile->evaluation_ns, profile->evaluations);
    int                top = STK_STAGE_NONE;
    uint64_t           attributed = 0;
    if (!p) return;
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        attributed += profile->evaluation_stages_ns[s];
        if (profile->evaluation_stages_ns[s] > profile->evaluation_stages_ns[top]) top = s;
    }
    if (!attributed) {
        snprintf(p->sentence, sizeof p->sentence,
                 "time between steps; what it was spent on is not told");
        return;
    }
    set_stage(p, top, (double)profile->evaluation_stages_ns[top]);
    snprintf(p->sentence, sizeof p->sentence, "%s takes %.0f %% of it%s",
             top ? stk_stage_name(p->stage) : "what is neither input nor compute",
             100 * p->stage_share, why_evaluation(top));
}

/* The training thread copies; writing is asynchronous unless the previous checkpoint is
 * unfinished. */
static void add_checkpoints(stk_diagnosis *d, const stk_profile *profile, double written)
{
    const stk_profile_stage *s = &profile->stages[STK_STAGE_WRITE];
    double                   times = 0;
    for (size_t i = 0; i < profile->step_count; i++)
        times += (profile->step_list[i].marks & STK_STEP_CHECKPOINT) != 0;
    stk_phase_verdict *p = add(d, "checkpoint", written, times);
    if (!p) return;
    set_stage(p, STK_STAGE_WRITE, written);
    if (s->blocked_ns > written / 2)
        snprintf(p->sentence, sizeof p->sentence,
                 "S8 write: %.0f %% of it waits until the checkpoint before is written: they come "
                 "faster than the disk takes them",
                 100 * fmin(1, s->blocked_ns / written));
    else
        snprintf(p->sentence, sizeof p->sentence,
                 "S8 write: copying the variables and what is written in the way of training; "
                 "%.1f s were written beside it",
                 fmax(0, s->busy_ns - written) * 1e-9);
}

void stk_diagnosis_ctx_phases(stk_diagnosis_ctx *c)
{
    const stk_profile *profile = c->profile;
    stk_diagnosis     *d = c->out;
    const double       written = fmax(0, profile->stages[STK_STAGE_WRITE].exposed_ns);
    double             all = 0;
    add_training(d, profile, written);
    add_evaluation(d, profile);
    add_checkpoints(d, profile, written);
    for (size_t i = 0; i < d->phase_count; i++)
        all += d->phases[i].ns;
    for (size_t i = 0; i < d->phase_count; i++)
        d->phases[i].share = d->phases[i].ns / all;
}
