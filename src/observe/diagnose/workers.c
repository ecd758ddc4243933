/* Chooses input and compute threads: from idle cores, or from compute's. */
#include "observe/diagnose/context.h"

#include <math.h>

enum { TRIED_MAX = 64 };

/* A rate this close to the best counts as equal; the fewest threads win. */
static const double as_good = 0.99;

/* Pessimistic: compute slows down in proportion to the threads it loses. */
static stk_workers try_helpers(const stk_diagnosis_ctx *c, int helpers)
{
    const stk_sim_model *m = c->model;
    stk_workers          w = {.threads = (int)m->threads, .input_threads = helpers + 1};
    const int            cores = m->cores > 0 ? (int)m->cores : w.threads + helpers;
    if (w.threads + helpers > cores) w.threads = cores - helpers;
    stk_what_if_init(&w.what);
    w.what.servers = helpers;
    if (w.threads < m->threads) w.what.threads = w.threads;
    w.rate = stk_sim_model_rate(m, &w.what);
    return w;
}

stk_workers stk_diagnosis_ctx_best_workers(const stk_diagnosis_ctx *c)
{
    const stk_sim_model *m = c->model;
    const int            now = (int)m->helpers;
    int                  max = m->cores > 0 ? (int)m->cores - 1 : 2 * now + 1;
    stk_workers best = {.threads = (int)m->threads, .input_threads = now + 1, .rate = c->rate};
    stk_what_if_init(&best.what);
    if (max > now + TRIED_MAX) max = now + TRIED_MAX;
    for (int helpers = now + 1; helpers <= max; helpers++) {
        const stk_workers w = try_helpers(c, helpers);
        if (as_good * w.rate > best.rate) best = w;
    }
    return best;
}
