/* Simulates the tandem queue: for each batch, when it is read, prepared and used. */
#include "observe/diagnose/sim_model.h"

#include <math.h>

enum { READ_AHEAD = 4, APART_AHEAD = 2 };

/* State of a simulated run; rings hold the history that buffers need. */
typedef struct player {
    const stk_sim_model *model;
    const stk_what_if   *what;
    double               helpers, compute_factor;
    double               helper_rate, joint_rate; /* batches of work per moment: see set_speeds */
    size_t               buffer, index;
    bool                 crowded;        /* more runnable threads than cores */
    double               read, prepared; /* end of the last batch */
    double               end;            /* of the last step */
    double               taken[STK_SIM_BUFFER_MAX];
    double               prepared_before[READ_AHEAD];
    double               apart[STK_STAGE_COUNT][APART_AHEAD];
    stk_sim_model_run    sum;
    double               core_ns;
} player;

/* Runnable threads per core while compute and input run. */
static double crowd(const stk_sim_model *m, double threads, double helpers)
{
    return m->cores > 0 ? fmax(1, (threads + helpers) / m->cores) : 1;
}

/* Threads without a core per preparing thread: the time that a batch takes from compute. */
static double too_many(const stk_sim_model *m, double threads, double helpers)
{
    const double without = threads + helpers - m->cores;
    return helpers > 0 && without > 0 ? without / helpers : 0;
}

/* The compute time that input threads take grows with their work. Busy threads cannot take more
 * than their part of the cores, or more than was measured. */
static double compute_factor(const player *p, double threads)
{
    const stk_sim_model *m = p->model;
    const double         slower = p->what->factor[STK_STAGE_COMPUTE] * m->threads / threads;
    const double         own = (1 - m->contention) * slower;
    if (!(m->contention > 0)) return slower;
    const double then = crowd(m, threads, p->helpers), was = crowd(m, m->threads, m->helpers);
    const double seen = m->contention / (1 - m->contention) / (was - 1);
    const double taken = m->contention * p->what->factor[STK_STAGE_PREPROCESS] *
                         too_many(m, threads, p->helpers) / too_many(m, m->threads, m->helpers);
    return own + fmin(taken, own * (then - 1) * fmax(1, seen));
}

/* Rates of preparation during compute, and while the training thread waits and helps. */
static void set_speeds(player *p, double threads)
{
    const stk_sim_model *m = p->model;
    const bool           contended = m->contention > 0;
    p->helper_rate = p->helpers / (contended ? crowd(m, threads, p->helpers) : 1);
    p->joint_rate = (p->helpers + 1) / (contended ? crowd(m, 1, p->helpers) : 1);
}

static player begin(const stk_sim_model *model, const stk_what_if *what)
{
    player       p = {.model = model, .what = what, .helpers = model->helpers};
    const double threads = what->threads > 0 ? what->threads : model->threads;
    double       buffer = what->buffer > 0 ? what->buffer : model->buffer;
    if (what->servers > 0) p.helpers = what->servers;
    p.crowded = !(model->contention > 0) && p.helpers > model->helpers && model->cores > 0 &&
                threads + p.helpers > model->cores;
    if (buffer > STK_SIM_BUFFER_MAX) buffer = STK_SIM_BUFFER_MAX;
    p.buffer = buffer >= 1 ? (size_t)buffer : 1;
    p.compute_factor = compute_factor(&p, threads);
    set_speeds(&p, threads);
    return p;
}

/* End of a batch's preparation. The training thread helps while it waits; without helpers it does
 * all of it, and only then. */
static double prepare(const player *p, double start, double work)
{
    const double alone = p->helpers > 0 ? start + work / p->helper_rate : INFINITY;
    if (alone <= p->end) return alone;
    const double from = fmax(start, p->end);
    const double done = fmax(0, p->end - start) * p->helper_rate;
    return from + fmax(0, work - done) / p->joint_rate;
}

/* Earliest start of reading a batch. Reads run ahead unless the training thread does them; with
 * helpers, these read. */
static double read_from(const player *p, double before)
{
    const bool by_trainer = p->model->reads_inline && !(p->helpers > 0);
    return by_trainer ? p->end : fmax(p->read, before);
}

static double training_factor(const player *p, int stage)
{
    if (stage == STK_STAGE_READ || stage == STK_STAGE_PREPROCESS || p->what->apart[stage]) return 0;
    return stage == STK_STAGE_COMPUTE ? p->compute_factor : p->what->factor[stage];
}

/* A stage on a thread of its own delays training only once it is two steps behind. */
static void run_apart(player *p, const stk_sim_model_step *step)
{
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        if (!p->what->apart[s]) continue;
        double      *behind = p->apart[s];
        const size_t slot = p->index % APART_AHEAD;
        p->end = fmax(p->end, behind[slot]);
        behind[slot] =
            fmax(p->end, behind[(slot + 1) % APART_AHEAD]) + step->own[s] * p->what->factor[s];
    }
}

static void run_step(player *p, const stk_sim_model_step *step)
{
    const stk_sim_model *m = p->model;
    const double         read_ns = step->read * m->read_scale * p->what->factor[STK_STAGE_READ];
    const double work = step->prepare * m->prepare_scale * p->what->factor[STK_STAGE_PREPROCESS];
    double      *taken = &p->taken[p->index % p->buffer];
    double      *before = &p->prepared_before[p->index % READ_AHEAD];
    double       own = 0;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        own += step->own[s] * training_factor(p, s);
    p->read = read_from(p, *before) + read_ns;
    const double start = fmax(fmax(p->prepared, p->read), *taken);
    const double start_ns = p->end;
    p->prepared = prepare(p, start, work);
    *before = p->prepared;
    *taken = fmax(p->prepared, p->end);
    p->sum.wait_read += fmax(0, start - p->end);
    p->sum.wait_prepare += fmax(0, *taken - fmax(start, p->end));
    p->end = *taken + own;
    if (p->crowded) p->end = fmax(p->end, start_ns + own + work / p->helpers);
    p->core_ns += work + step->own[STK_STAGE_COMPUTE] * (1 - m->contention) *
                             p->what->factor[STK_STAGE_COMPUTE] * m->threads;
    run_apart(p, step);
    p->sum.samples += step->samples;
    p->index++;
}

static const stk_sim_model_step *step_at(const stk_sim_model *m, const uint32_t *blocks, size_t i)
{
    const size_t at = blocks ? blocks[i / STK_SIM_BLOCK] * STK_SIM_BLOCK + i % STK_SIM_BLOCK : i;
    return &m->steps[at < m->count ? at : m->count - 1];
}

/* Runs to steady queue lengths before counting. */
stk_sim_model_run stk_sim_run(const stk_sim_model *model, const stk_what_if *what,
                              const uint32_t *blocks, size_t block_count)
{
    player       p = begin(model, what);
    const size_t count = blocks ? block_count * STK_SIM_BLOCK : model->count;
    size_t       first = 2 * p.buffer;
    if (!count || !model->count) return (stk_sim_model_run){0};
    if (first > count) first = count;
    for (size_t i = count - first; i < count; i++)
        run_step(&p, step_at(model, blocks, i));
    const double start_ns = p.end;
    p.sum = (stk_sim_model_run){0};
    p.core_ns = 0;
    for (size_t i = 0; i < count; i++)
        run_step(&p, step_at(model, blocks, i));
    p.sum.ns = p.end - start_ns;
    if (model->cores > 0) p.sum.ns = fmax(p.sum.ns, p.core_ns * model->core_scale / model->cores);
    return p.sum;
}
