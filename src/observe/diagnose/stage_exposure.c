/* What stages cost: shares of a step with their intervals, and what a run without them gives. */
#include "observe/diagnose/context.h"

#include <string.h>

typedef struct sums {
    double ns[STK_STAGE_COUNT], all;
} sums;

static void add_steps(sums *to, const stk_sim_model *m, size_t first, size_t count)
{
    for (size_t i = first; i < first + count && i < m->count; i++)
        for (int s = 0; s < STK_STAGE_COUNT; s++) {
            to->ns[s] += m->steps[i].own[s];
            to->all += m->steps[i].own[s];
        }
}

static void resample_shares(stk_diagnosis_ctx *c, const sums *whole)
{
    const stk_sim_model *m = c->model;
    uint32_t             blocks[STK_MODEL_MOST_BLOCKS];
    double               shares[STK_STAGE_COUNT][STK_MODEL_RESAMPLES];
    size_t               made = 0;
    for (unsigned r = 0; r < STK_MODEL_RESAMPLES && m->count >= 2 * STK_MODEL_BLOCK; r++, made++) {
        sums         one = {0};
        const size_t count = stk_sim_model_resample(m, r, blocks);
        for (size_t b = 0; b < count; b++)
            add_steps(&one, m, (size_t)blocks[b] * STK_MODEL_BLOCK, STK_MODEL_BLOCK);
        for (int s = 0; s < STK_STAGE_COUNT; s++)
            shares[s][r] = one.ns[s] / one.all;
    }
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        c->share[s] = stk_sim_model_interval(whole->ns[s] / whole->all, shares[s], made);
}

void stk_diagnosis_ctx_expose(stk_diagnosis_ctx *c)
{
    const stk_sim_model *m = c->model;
    sums                 whole = {0};
    double               samples = 0;
    add_steps(&whole, m, 0, m->count);
    for (size_t i = 0; i < m->count; i++)
        samples += m->steps[i].samples;
    c->step_ns = whole.all / (double)m->count;
    c->samples_a_step = samples / (double)m->count;
    c->rate = samples / whole.all * 1e9;
    resample_shares(c, &whole);
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        stk_what_if what;
        stk_what_if_init(&what);
        what.factor[s] = 0;
        c->without[s] = c->share[s].value > 0 ? stk_sim_model_rate(m, &what) : c->rate;
    }
}
