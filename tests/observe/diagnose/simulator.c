/* A training run, event by event. */
#include "simulator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNITS = 16, WORKERS_MAX = 9, READ_AHEAD = 4, BATCH = 64, LEAD = 50 };

typedef struct run {
    const simulation *s;
    double           *read, *prepare;           /* of each batch */
    double            now, speed;               /* speed: of each thread that wants a core */
    double            read_until, rest_until;   /* DBL_MAX: not at work */
    double            compute_left;             /* of the step at hand; DBL_MAX: not at work */
    double            worker_left[WORKERS_MAX]; /* the last one is the training thread */
    size_t            worker_batch[WORKERS_MAX];
    size_t            reads, taken, steps, next_unit;
    unsigned char    *done; /* units of each batch */
    double            wait_read, wait, worked, read_worked, computed;
    double            cpu_ns[STK_STAGE_COUNT], runnable_ns[STK_STAGE_COUNT];
    stk_step_record  *out;
    double            sync[STK_STAGE_COUNT], rest; /* rest: of a step but compute */
    uint64_t          begin_ns;
} run;

static double uniform(uint64_t seed, uint64_t stage, uint64_t index, uint64_t draw)
{
    uint64_t x = seed * 1000003 + stage * 7919 + index * 104729 + draw * 15485863;
    for (int i = 0; i < 3; i++) {
        x ^= x >> 31;
        x *= 0x7fb5d329728ea185u;
    }
    x ^= x >> 33;
    return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

/* Log-normal. */
static double service(const simulation *s, int stage, size_t index)
{
    if (s->every[stage] && index % (size_t)s->every[stage]) return 0;
    const double variance = log(1 + s->cv[stage] * s->cv[stage]);
    const double a = uniform(s->seed, (uint64_t)stage, index, 1);
    const double b = uniform(s->seed, (uint64_t)stage, index, 2);
    const double normal = sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
    return s->mean_ns[stage] * exp(normal * sqrt(variance) - variance / 2);
}

static bool waiting(const run *r)
{
    return r->rest_until == DBL_MAX && r->compute_left == DBL_MAX;
}

static void start_read(run *r)
{
    const size_t ahead =
        r->s->reads_inline ? 1 : (r->s->helpers ? (size_t)r->s->buffer : 0) + READ_AHEAD;
    if (r->s->reads_inline && !waiting(r)) return;
    if (r->read_until < DBL_MAX || r->reads >= r->s->steps || r->reads >= r->taken + ahead) return;
    r->read_until = r->now + r->read[r->reads];
}

static bool unit_there(const run *r)
{
    const size_t batch = r->next_unit / UNITS;
    const size_t ahead = r->s->helpers ? (size_t)r->s->buffer : 1;
    return batch < r->reads && batch < r->taken + ahead;
}

static void start_units(run *r)
{
    for (int w = 0; w < WORKERS_MAX; w++) {
        const bool is_trainer = w == WORKERS_MAX - 1;
        if (r->worker_left[w] < DBL_MAX || (is_trainer ? !waiting(r) : w >= r->s->helpers))
            continue;
        if (!unit_there(r)) return;
        r->worker_batch[w] = r->next_unit / UNITS;
        r->worker_left[w] = r->prepare[r->worker_batch[w]] / UNITS;
        r->next_unit++;
    }
}

static void begin_step(run *r)
{
    double all = 0;
    if (!waiting(r) || r->worker_left[WORKERS_MAX - 1] < DBL_MAX) return;
    if (r->taken >= r->s->steps || r->done[r->taken] < UNITS) return;
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        const bool is_input = s == STK_STAGE_READ || s == STK_STAGE_PREPROCESS;
        r->sync[s] = is_input ? 0 : service(r->s, s, r->taken);
        if (s != STK_STAGE_COMPUTE) all += r->sync[s];
    }
    r->taken++;
    r->rest = all;
    r->compute_left = r->sync[STK_STAGE_COMPUTE];
    r->computed = 0;
}

static void end_step(run *r)
{
    stk_step_record *step = &r->out[r->steps];
    *step = (stk_step_record){.step = (int64_t)r->steps, .begin_ns = r->begin_ns};
    step->samples = BATCH;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        step->exposed_ns[s] = (uint64_t)r->sync[s];
    step->exposed_ns[STK_STAGE_COMPUTE] = (uint64_t)r->computed;
    step->exposed_ns[STK_STAGE_READ] = (uint64_t)r->wait_read;
    step->exposed_ns[STK_STAGE_PREPROCESS] = (uint64_t)(r->wait - r->wait_read);
    step->work_ns[STK_STAGE_READ] = (uint64_t)r->read_worked;
    step->work_ns[STK_STAGE_PREPROCESS] = (uint64_t)r->worked;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        step->ns += step->exposed_ns[s];
    r->begin_ns += step->ns;
    r->wait = r->wait_read = r->worked = r->read_worked = 0;
    r->rest_until = DBL_MAX;
    r->steps++;
}

static int busy_workers(const run *r)
{
    int count = 0;
    for (int w = 0; w < WORKERS_MAX; w++)
        count += r->worker_left[w] < DBL_MAX;
    return count;
}

/* Threads that want a core share what there is evenly; the training thread's other stages wait for
 * devices. */
static void share_cores(run *r)
{
    const simulation *s = r->s;
    const double      threads = s->threads ? s->threads : 1;
    const double      wanted = busy_workers(r) + (r->compute_left < DBL_MAX ? threads : 0);
    r->speed = s->cores && wanted > s->cores ? s->cores / wanted : 1;
}

static double next_event(const run *r)
{
    double next = fmin(r->read_until, r->rest_until), left = r->compute_left;
    for (int w = 0; w < WORKERS_MAX; w++)
        left = fmin(left, r->worker_left[w]);
    return left < DBL_MAX ? fmin(next, r->now + left / r->speed) : next;
}

static void use_cores(run *r, int stage, double threads, double ns)
{
    r->cpu_ns[stage] += threads * ns * r->speed;
    r->runnable_ns[stage] += threads * ns * (1 - r->speed);
}

/* Everybody at work goes on until then. */
static void go_on(run *r, double until)
{
    const double ns = until - r->now, done = ns * r->speed, tiny = 1e-3;
    for (int w = 0; w < WORKERS_MAX; w++) {
        if (r->worker_left[w] == DBL_MAX) continue;
        r->worker_left[w] = r->worker_left[w] - done < tiny ? 0 : r->worker_left[w] - done;
        r->worked += ns;
        use_cores(r, STK_STAGE_PREPROCESS, 1, ns);
    }
    if (r->compute_left < DBL_MAX) {
        r->compute_left = r->compute_left - done < tiny ? 0 : r->compute_left - done;
        r->computed += ns;
        use_cores(r, STK_STAGE_COMPUTE, r->s->threads ? r->s->threads : 1, ns);
    }
    r->now = until;
}

static void finish_events(run *r)
{
    for (int w = 0; w < WORKERS_MAX; w++)
        if (r->worker_left[w] <= 0) {
            r->done[r->worker_batch[w]]++;
            r->worker_left[w] = DBL_MAX;
        }
    if (r->read_until <= r->now) {
        r->read_worked += r->read[r->reads++];
        r->read_until = DBL_MAX;
    }
    if (r->compute_left <= 0) {
        r->compute_left = DBL_MAX;
        r->rest_until = r->now + r->rest;
    }
    if (r->rest_until <= r->now) end_step(r);
}

static void play(run *r)
{
    while (r->steps < r->s->steps) {
        begin_step(r);
        start_read(r);
        start_units(r);
        begin_step(r);
        share_cores(r);
        const double next = next_event(r);
        if (waiting(r)) {
            r->wait += next - r->now;
            if (!busy_workers(r)) r->wait_read += next - r->now;
        }
        go_on(r, next);
        finish_events(r);
    }
}

static void fill_cores(stk_profile *out, const run *r)
{
    const simulation *s = r->s;
    out->run.threads = s->threads ? s->threads : 1;
    out->machine.cores = s->cores ? s->cores : 16;
    for (int k = 0; k < STK_STAGE_COUNT && s->cores; k++) {
        out->stages[k].cpu_ns = r->cpu_ns[k];
        out->stages[k].runnable_ns = r->runnable_ns[k];
    }
}

static void fill_totals(stk_profile *out, const simulation *s)
{
    for (size_t i = 0; i < out->step_count; i++) {
        out->measured_ns += (double)out->step_list[i].ns;
        for (int k = 0; k < STK_STAGE_COUNT; k++) {
            out->stages[k].exposed_ns += (double)out->step_list[i].exposed_ns[k];
            out->stages[k].busy_ns += (double)out->step_list[i].work_ns[k];
        }
    }
    out->steps = (double)out->step_count;
    out->samples = out->steps * BATCH;
    out->stages[STK_STAGE_READ].servers = s->reads_inline ? 0 : 1;
    out->stages[STK_STAGE_PREPROCESS].servers = s->helpers;
    out->run.batch = BATCH;
    out->run.input_threads = s->helpers + 1;
    snprintf(out->run.source, sizeof out->run.source, "stoker");
    if (!s->helpers) return;
    out->input_count = 1;
    out->inputs[0] = (stk_profile_input){.name = "prefetch", .stage = STK_STAGE_PREPROCESS};
    out->inputs[0].has_queue = true;
    out->inputs[0].items = out->steps;
    out->inputs[0].queue_capacity = s->buffer;
}

void simulate(const simulation *s, stk_profile *out)
{
    run r = {.s = s, .read_until = DBL_MAX, .rest_until = DBL_MAX, .compute_left = DBL_MAX};
    for (int w = 0; w < WORKERS_MAX; w++)
        r.worker_left[w] = DBL_MAX;
    r.read = calloc(s->steps, sizeof *r.read);
    r.prepare = calloc(s->steps, sizeof *r.prepare);
    r.done = calloc(s->steps, 1);
    r.out = out->step_list = calloc(s->steps, sizeof *r.out);
    if (!r.read || !r.prepare || !r.done || !r.out) abort();
    for (size_t i = 0; i < s->steps; i++) {
        r.read[i] = service(s, STK_STAGE_READ, i);
        r.prepare[i] = service(s, STK_STAGE_PREPROCESS, i);
    }
    play(&r);
    out->step_list[0].marks = STK_STEP_FIRST;
    out->step_count = s->steps;
    fill_totals(out, s);
    fill_cores(out, &r);
    free(r.read);
    free(r.prepare);
    free(r.done);
}

double simulated_rate(const simulation *s)
{
    stk_profile p;
    double      ns = 0;
    stk_profile_init(&p);
    simulate(s, &p);
    for (size_t i = LEAD; i < p.step_count; i++)
        ns += (double)p.step_list[i].ns;
    const double rate = BATCH * (double)(p.step_count - LEAD) / ns * 1e9;
    stk_profile_release(&p);
    return rate;
}

simulation simulation_usual(void)
{
    simulation s = {.helpers = 2, .buffer = 4, .steps = 1500, .seed = 1};
    s.mean_ns[STK_STAGE_NONE] = 2e3;
    s.mean_ns[STK_STAGE_READ] = 1e5;
    s.mean_ns[STK_STAGE_PREPROCESS] = 5e5;
    s.mean_ns[STK_STAGE_HOST_TO_DEVICE] = 5e4;
    s.mean_ns[STK_STAGE_COMPUTE] = 4e6;
    s.mean_ns[STK_STAGE_DEVICE_TO_HOST] = 1e4;
    s.mean_ns[STK_STAGE_OUTPUT] = 2e4;
    for (int k = 0; k < STK_STAGE_COUNT; k++)
        s.cv[k] = 0.1;
    return s;
}
