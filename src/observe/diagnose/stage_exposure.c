/* Exposed fractions of the stages with intervals, and rates without each stage. */
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

static void resample_fractions(stk_diagnosis_ctx *c, const sums *total)
{
    const stk_sim_model *m = c->model;
    uint32_t             blocks[STK_SIM_BLOCKS_MAX];
    double               fractions[STK_STAGE_COUNT][STK_SIM_RESAMPLES];
    size_t               made = 0;
    for (unsigned r = 0; r < STK_SIM_RESAMPLES && m->count >= 2 * STK_SIM_BLOCK; r++, made++) {
        sums         one = {0};
        const size_t count = stk_sim_model_resample(m, r, blocks);
        for (size_t b = 0; b < count; b++)
            add_steps(&one, m, (size_t)blocks[b] * STK_SIM_BLOCK, STK_SIM_BLOCK);
        for (int s = 0; s < STK_STAGE_COUNT; s++)
            fractions[s][r] = one.ns[s] / one.all;
    }
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        c->fraction[s] = stk_sim_model_interval(total->ns[s] / total->all, fractions[s], made);
}

void stk_diagnosis_ctx_expose(stk_diagnosis_ctx *c)
{
    const stk_sim_model *m = c->model;
    sums                 total = {0};
    double               samples = 0;
    add_steps(&total, m, 0, m->count);
    for (size_t i = 0; i < m->count; i++)
        samples += m->steps[i].samples;
    c->step_ns = total.all / (double)m->count;
    c->samples_a_step = samples / (double)m->count;
    c->rate = samples / total.all * 1e9;
    resample_fractions(c, &total);
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        stk_what_if what;
        stk_what_if_init(&what);
        what.factor[s] = 0;
        c->without[s] = c->fraction[s].value > 0 ? stk_sim_model_rate(m, &what) : c->rate;
    }
}
