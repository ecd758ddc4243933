/* Simulated rates with intervals, from runs of resampled blocks of steps. */
#include "observe/diagnose/sim_model.h"

#include <math.h>
#include <stdlib.h>

void stk_what_if_init(stk_what_if *what)
{
    *what = (stk_what_if){0};
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        what->factor[s] = 1;
}

double stk_sim_model_rate(const stk_sim_model *model, const stk_what_if *what)
{
    const stk_sim_model_run run = stk_sim_run(model, what, NULL, 0);
    return run.ns > 0 ? run.samples / run.ns * 1e9 : 0;
}

/* Splitmix64; any good integer mixer would do. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

size_t stk_sim_model_resample(const stk_sim_model *model, unsigned number, uint32_t *blocks)
{
    const size_t count = model->count / STK_SIM_BLOCK;
    for (size_t i = 0; i < count; i++)
        blocks[i] = (uint32_t)(mix((uint64_t)number << 32 | i) % count);
    return count;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Joints between blocks bias all resampled runs slightly, so only their spread is used. */
stk_estimate stk_sim_model_interval(double value, double *resampled, size_t count)
{
    stk_estimate e = {value, value, value};
    if (count < 2) return e;
    qsort(resampled, count, sizeof *resampled, compare);
    const double middle = resampled[count / 2];
    e.low = fmin(value, value + resampled[(size_t)(0.025 * (double)count)] - middle);
    e.high = fmax(value, value + resampled[(size_t)(0.975 * (double)(count - 1))] - middle);
    return e;
}

stk_estimate stk_sim_model_estimate(const stk_sim_model *model, const stk_what_if *what)
{
    double       rates[STK_SIM_RESAMPLES];
    uint32_t     blocks[STK_SIM_BLOCKS_MAX];
    const double rate = stk_sim_model_rate(model, what);
    size_t       made = 0;
    for (unsigned i = 0; i < STK_SIM_RESAMPLES && model->count >= 2 * STK_SIM_BLOCK; i++) {
        const size_t            count = stk_sim_model_resample(model, i, blocks);
        const stk_sim_model_run run = stk_sim_run(model, what, blocks, count);
        if (run.ns > 0) rates[made++] = run.samples / run.ns * 1e9;
    }
    return stk_sim_model_interval(rate, rates, made);
}

stk_estimate stk_simulate(const stk_profile *profile, const stk_what_if *what)
{
    stk_sim_model model;
    stk_error     unasked;
    if (stk_sim_model_make(&model, profile, &unasked)) return (stk_estimate){-1, -1, -1};
    stk_estimate e = {-1, -1, -1};
    if (model.count) e = stk_sim_model_estimate(&model, what);
    stk_sim_model_release(&model);
    return e;
}
