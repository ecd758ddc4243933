/* Ranks bottlenecks, with the confidence of the verdict. */
#include "observe/diagnose/context.h"

#include <math.h>
#include <stdio.h>

static bool is_limit(const stk_estimate *fraction)
{
    return fraction->value >= STK_FRACTION_LIMIT && fraction->low > STK_FRACTION_DOUBT;
}

/* The stage other than compute whose removal gains most, among those with enough exposed time. */
static stk_stage worst(const stk_diagnosis_ctx *c, const bool *passed_over)
{
    stk_stage found = STK_STAGE_COMPUTE;
    double    best = 0;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        if (s != STK_STAGE_COMPUTE && !passed_over[s] && is_limit(&c->fraction[s]) &&
            c->without[s] > best) {
            best = c->without[s];
            found = (stk_stage)s;
        }
    return found;
}

/* The exposed fraction of a stage in a simulated run. */
static double fraction_then(const stk_diagnosis_ctx *c, const stk_what_if *what,
                            const stk_sim_model_run *run, int stage)
{
    double own = 0;
    if (stage == STK_STAGE_READ) return run->wait_read / run->ns;
    if (stage == STK_STAGE_PREPROCESS) return run->wait_prepare / run->ns;
    if (what->apart[stage]) return 0;
    for (size_t i = 0; i < c->model->count; i++)
        own += c->model->steps[i].own[stage];
    return own * what->factor[stage] / run->ns;
}

stk_stage stk_diagnosis_ctx_next(const stk_diagnosis_ctx *c, const stk_what_if *what)
{
    const stk_sim_model_run run = stk_sim_run(c->model, what, NULL, 0);
    stk_stage               found = STK_STAGE_COMPUTE;
    double                  largest = STK_FRACTION_LIMIT;
    for (int s = 0; s < STK_STAGE_COUNT && run.ns > 0; s++) {
        const double fraction = fraction_then(c, what, &run, s);
        if (s == STK_STAGE_COMPUTE || fraction < largest) continue;
        largest = fraction;
        found = (stk_stage)s;
    }
    return found;
}

static const char *way_of_cost(const stk_diagnosis_ctx *c, stk_stage stage)
{
    if (stage == STK_STAGE_READ) return "waits for it";
    if (stage == STK_STAGE_PREPROCESS && c->model->helpers > 0) return "waits for it";
    return "is spent in it";
}

static void describe(const stk_diagnosis_ctx *c, stk_bottleneck *l)
{
    char then[32], gain[32];
    if (l->stage == STK_STAGE_COMPUTE)
        snprintf(l->sentence, sizeof l->sentence, "%s: %.0f %% of a step", stk_stage_name(l->stage),
                 100 * l->share.value);
    else
        snprintf(l->sentence, sizeof l->sentence,
                 "%s: %.0f %% of a step (%.0f to %.0f) %s; without it %s %s/s (%s)",
                 l->stage ? stk_stage_name(l->stage) : "the loop itself", 100 * l->share.value,
                 100 * l->share.low, 100 * l->share.high, way_of_cost(c, l->stage),
                 stk_rate_text(then, sizeof then, l->if_removed.value), stk_diagnosis_ctx_unit(c),
                 stk_gain_text(gain, sizeof gain, l->if_removed.value / c->rate - 1));
}

static void add_limit(stk_diagnosis_ctx *c, stk_stage stage, stk_what_if what)
{
    stk_diagnosis *d = c->out;
    if (d->limit_count == STK_DIAGNOSIS_LIMITS) return;
    stk_bottleneck *l = &d->limits[d->limit_count++];
    *l = (stk_bottleneck){
        .stage = stage, .share = c->fraction[stage], .cause = stk_diagnosis_ctx_cause(c, stage)};
    if (stage == STK_STAGE_COMPUTE) {
        l->if_removed = (stk_estimate){-1, -1, -1}; /* a run without compute is meaningless */
        l->next = STK_STAGE_COMPUTE;
    } else {
        what.factor[stage] = 0;
        l->if_removed = stk_sim_model_estimate(c->model, &what);
        l->next = stk_diagnosis_ctx_next(c, &what);
    }
    describe(c, l);
}

/* Adds bottlenecks that only show once the first one is removed. */
static void add_hidden(stk_diagnosis_ctx *c, bool *listed)
{
    const stk_bottleneck *first = &c->out->limits[0];
    stk_what_if           what;
    stk_what_if_init(&what);
    what.factor[first->stage] = 0;
    if (listed[first->next]) return;
    listed[first->next] = true;
    add_limit(c, first->next, what);
}

/* The first bottleneck of one resampled run, decided as for a run of its own. */
static stk_stage first_of(const stk_diagnosis_ctx *c, const uint32_t *blocks, size_t count)
{
    stk_what_if what;
    stk_what_if_init(&what);
    const stk_sim_model_run run = stk_sim_run(c->model, &what, blocks, count);
    double                  own[STK_STAGE_COUNT] = {0}, all = 0, best = 0;
    stk_stage               found = STK_STAGE_COMPUTE;
    for (size_t i = 0; i < count * STK_SIM_BLOCK; i++)
        for (int s = 0; s < STK_STAGE_COUNT; s++) {
            const double ns =
                c->model->steps[blocks[i / STK_SIM_BLOCK] * STK_SIM_BLOCK + i % STK_SIM_BLOCK]
                    .own[s];
            own[s] += ns;
            all += ns;
        }
    for (int s = 0; s < STK_STAGE_COUNT && run.ns > 0; s++) {
        if (s == STK_STAGE_COMPUTE || own[s] < STK_FRACTION_LIMIT * all) continue;
        what.factor[s] = 0;
        const stk_sim_model_run then = stk_sim_run(c->model, &what, blocks, count);
        what.factor[s] = 1;
        const double rate = then.ns > 0 ? then.samples / then.ns : INFINITY;
        if (rate <= best) continue;
        best = rate;
        found = (stk_stage)s;
    }
    return found;
}

static double confidence(const stk_diagnosis_ctx *c, stk_stage first)
{
    uint32_t blocks[STK_SIM_BLOCKS_MAX];
    unsigned same = 0;
    if (c->model->count < 2 * STK_SIM_BLOCK) return 0;
    for (unsigned r = 0; r < STK_SIM_RESAMPLES; r++) {
        const size_t count = stk_sim_model_resample(c->model, r, blocks);
        same += first_of(c, blocks, count) == first;
    }
    return (double)same / STK_SIM_RESAMPLES;
}

void stk_diagnosis_ctx_rank(stk_diagnosis_ctx *c)
{
    bool        listed[STK_STAGE_COUNT] = {false};
    stk_what_if as_it_was;
    stk_what_if_init(&as_it_was);
    for (stk_stage s = worst(c, listed); s != STK_STAGE_COMPUTE; s = worst(c, listed)) {
        listed[s] = true;
        add_limit(c, s, as_it_was);
    }
    listed[STK_STAGE_COMPUTE] = true;
    if (c->out->limit_count) add_hidden(c, listed);
    add_limit(c, STK_STAGE_COMPUTE, as_it_was);
    c->out->limit = c->out->limits[0];
    c->out->confidence = confidence(c, c->out->limit.stage);
}
