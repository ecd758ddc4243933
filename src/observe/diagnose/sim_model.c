/* Builds the simulation model from a profile. */
#include "observe/diagnose/sim_model.h"

#include "observe/diagnose/comparable_steps.h"

#include <math.h>
#include <stdlib.h>

enum { USUAL_BUFFER = 4, ROUNDS = 4, HALVINGS = 40, FEWEST_STEPS = 2, HELPERS_MAX = 4096 };

/* Waits below this fraction of the time are noise and not calibrated against. */
static const double wait_min = 0.002;
/* With fewer waits and fewer reads in flight, reading is not the bottleneck; some reads were
 * late. */
static const double few_waits = 0.01, seldom = 0.5;

static void take_step(stk_sim_model_step *to, const stk_step_record *from)
{
    to->ns = 0;
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        to->own[s] = (double)from->exposed_ns[s];
        to->ns += to->own[s];
    }
    to->samples = (double)from->samples;
    to->read = (double)from->work_ns[STK_STAGE_READ];
    to->prepare = (double)from->work_ns[STK_STAGE_PREPROCESS];
}

/* A profile with totals only: all steps are equal. */
static void take_totals(stk_sim_model *m, const stk_profile *p)
{
    const double steps = p->steps;
    for (size_t i = 0; i < m->count; i++) {
        stk_sim_model_step *to = &m->steps[i];
        for (int s = 0; s < STK_STAGE_COUNT; s++) {
            to->own[s] = p->stages[s].exposed_ns / steps;
            to->ns += to->own[s];
        }
        to->samples = p->samples / steps;
        to->read = fmax(0, p->stages[STK_STAGE_READ].busy_ns) / steps;
        to->prepare = fmax(0, p->stages[STK_STAGE_PREPROCESS].busy_ns) / steps;
    }
}

static double sum_of(const stk_sim_model *m, int stage)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++)
        sum += m->steps[i].own[stage];
    return sum;
}

static double all_ns(const stk_sim_model *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++)
        sum += m->steps[i].ns;
    return sum;
}

/* Capacity of the queues between reading and training, in batches. */
static double queue_batches(const stk_profile *p)
{
    double batches = 0;
    for (size_t i = 0; i < p->input_count; i++) {
        const stk_profile_input *in = &p->inputs[i];
        if (!in->has_queue || !(in->queue_capacity > 0) || !(p->steps > 0)) continue;
        const double a_batch = in->items / p->steps;
        batches += in->queue_capacity / (a_batch > 1 ? a_batch : 1);
    }
    return batches >= 1 ? batches : USUAL_BUFFER;
}

static double runnable_fraction(const stk_profile_stage *s)
{
    const double all = s->cpu_ns + s->runnable_ns;
    return s->cpu_ns > 0 && s->runnable_ns > 0 ? s->runnable_ns / all : 0;
}

/* Without helper threads or requests in flight, the training thread reads by itself. */
static void take_machine(stk_sim_model *m, const stk_profile *p)
{
    const double servers = p->stages[STK_STAGE_PREPROCESS].servers;
    m->cores = p->machine.cores > 0 ? p->machine.cores : 0;
    m->threads = p->run.threads > 0 ? p->run.threads : 1;
    m->helpers = servers > 0 ? fmin(servers, HELPERS_MAX) : 0;
    m->reads_inline = !(m->helpers > 0) && !(p->stages[STK_STAGE_READ].servers > 0);
    m->buffer = fmin(queue_batches(p), STK_SIM_BUFFER_MAX);
    if (m->cores > 0 && m->helpers > 0 && m->threads + m->helpers > m->cores)
        m->contention = runnable_fraction(&p->stages[STK_STAGE_COMPUTE]);
}

/* Where threads share cores, their busy time includes waits for a core. Those are no work: the
 * simulation adds them back. */
static void take_off_waits(stk_sim_model *m, const stk_profile *p)
{
    if (!(m->contention > 0)) return;
    for (size_t i = 0; i < m->count; i++)
        m->steps[i].prepare *= 1 - runnable_fraction(&p->stages[STK_STAGE_PREPROCESS]);
}

static double all_reads(const stk_sim_model *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++)
        sum += m->steps[i].read;
    return sum;
}

static bool reads_bind(const stk_sim_model *m)
{
    const double all = all_ns(m), waits = sum_of(m, STK_STAGE_READ);
    if (waits <= wait_min * all) return false;
    return waits > few_waits * all || all_reads(m) > seldom * all;
}

/* Time to read and prepare one batch. A stage that is waited for is always busy, so its work per
 * step is the step's length. That is more precise than the busy times of its threads, several of
 * which may wait for the same bytes. */
static void calibrate_work(stk_sim_model *m)
{
    const bool bind = reads_bind(m);
    const bool waits = sum_of(m, STK_STAGE_PREPROCESS) > wait_min * all_ns(m);
    double     recorded = 0;
    for (size_t i = 0; i < m->count; i++)
        recorded += m->steps[i].prepare;
    for (size_t i = 0; i < m->count; i++) {
        stk_sim_model_step *s = &m->steps[i];
        if (m->reads_inline)
            s->read = s->own[STK_STAGE_READ];
        else if (bind || s->read > s->ns)
            s->read = s->ns;
        if (!(m->helpers > 0))
            s->prepare = s->own[STK_STAGE_PREPROCESS];
        else if (!(recorded > 0))
            s->prepare = waits ? s->ns * m->helpers : 0;
    }
}

static double wait_of(const stk_sim_model *m, bool read)
{
    stk_what_if what;
    stk_what_if_init(&what);
    const stk_sim_model_run run = stk_sim_run(m, &what, NULL, 0);
    return read ? run.wait_read : run.wait_prepare;
}

/* Finds the scale with which simulated waits equal the measured ones. Waits grow with the scale. A
 * stage without waits keeps its own times, unless they cause simulated waits. */
static void fit(stk_sim_model *m, double *scale, bool read, double measured, double all)
{
    const double scale_max = 64;
    double       low = 0, high = *scale = 1;
    const double now = wait_of(m, read);
    if (now <= measured && measured < wait_min * all) return;
    while (now < measured && wait_of(m, read) < measured && *scale < scale_max)
        high = *scale *= 2;
    for (int i = 0; i < HALVINGS && high - low > 1e-6 * high; i++) {
        *scale = (low + high) / 2;
        *(wait_of(m, read) < measured ? &low : &high) = *scale;
    }
}

static void calibrate(stk_sim_model *m)
{
    const double all = all_ns(m);
    stk_what_if  what;
    stk_what_if_init(&what);
    m->read_scale = m->prepare_scale = 1;
    m->core_scale = 0;
    const double read_waits = m->reads_inline || reads_bind(m) ? sum_of(m, STK_STAGE_READ) : 0;
    for (int i = 0; i < ROUNDS; i++) {
        fit(m, &m->read_scale, true, read_waits, all);
        if (!(m->helpers > 0)) break;
        fit(m, &m->prepare_scale, false, sum_of(m, STK_STAGE_PREPROCESS), all);
    }
    /* The cores' busy time cannot exceed the run. */
    m->core_scale = 1;
    const double bound = stk_sim_run(m, &what, NULL, 0).ns;
    if (bound > all) m->core_scale = all / bound;
}

static stk_status take_steps(stk_sim_model *m, const stk_profile *p, stk_error *err)
{
    const stk_step_record **comparable = malloc(STK_SIM_STEPS_MAX * sizeof *comparable);
    m->steps = calloc(STK_SIM_STEPS_MAX, sizeof *m->steps);
    if (!comparable || !m->steps) {
        free(comparable);
        stk_sim_model_release(m);
        return stk_fail(err, STK_E_NOMEM, "diagnosis", NULL, "no memory for %d steps",
                        STK_SIM_STEPS_MAX);
    }
    m->count = stk_comparable_steps(p, comparable, STK_SIM_STEPS_MAX);
    for (size_t i = 0; i < m->count; i++)
        take_step(&m->steps[i], comparable[i]);
    free(comparable);
    m->dropped = p->step_count - m->count;
    if (p->step_count || !(p->steps >= 1)) return STK_OK;
    m->count = p->steps < STK_SIM_STEPS_MAX ? (size_t)p->steps : STK_SIM_STEPS_MAX;
    take_totals(m, p);
    return STK_OK;
}

stk_status stk_sim_model_make(stk_sim_model *out, const stk_profile *profile, stk_error *err)
{
    *out = (stk_sim_model){.read_scale = 1, .prepare_scale = 1, .core_scale = 1};
    STK_TRY(take_steps(out, profile, err));
    take_machine(out, profile);
    if (out->count < FEWEST_STEPS || !(all_ns(out) > 0)) {
        out->count = 0;
        return STK_OK;
    }
    take_off_waits(out, profile);
    calibrate_work(out);
    calibrate(out);
    return STK_OK;
}

void stk_sim_model_release(stk_sim_model *model)
{
    free(model->steps);
    *model = (stk_sim_model){0};
}
