/* The cause of a stage's exposed time. */
#include "observe/diagnose/context.h"

#include <string.h>

/* Thresholds, explained in docs/diagnosis.md. */
static const double at_the_limit = 0.9; /* fraction of the disk's or the link's peak */
static const double workers_help =
    0.05; /* gain by other threads that makes their number the cause */
static const double waits_for_cores = 0.2; /* fraction of the time that threads are runnable */
static const double much_faster = 1.25;    /* speed-up of compute at another batch size */

const char *stk_cause_name(stk_cause cause)
{
    static const char *const names[STK_CAUSE_COUNT] = {
        [STK_CAUSE_COMPUTE] = "compute",
        [STK_CAUSE_READ_BANDWIDTH] = "read-bandwidth",
        [STK_CAUSE_READ_LATENCY] = "read-latency",
        [STK_CAUSE_CORES] = "cores",
        [STK_CAUSE_WORKERS] = "workers",
        [STK_CAUSE_COPY] = "copy",
        [STK_CAUSE_LAUNCH] = "launch",
        [STK_CAUSE_OPERATION] = "operation",
        [STK_CAUSE_ALLREDUCE] = "allreduce",
        [STK_CAUSE_FETCH] = "fetch",
        [STK_CAUSE_CALLBACK] = "callback",
        [STK_CAUSE_WRITE] = "write",
        [STK_CAUSE_CONTENTION] = "contention",
        [STK_CAUSE_VARIANCE] = "variance",
        [STK_CAUSE_OTHER] = "other",
        [STK_CAUSE_MEMORY] = "memory",
        [STK_CAUSE_MATH] = "math",
        [STK_CAUSE_INPUT] = "input",
    };
    return (unsigned)cause < STK_CAUSE_COUNT ? names[cause] : "unknown cause";
}

static double runnable_fraction(const stk_profile_stage *s)
{
    if (!(s->cpu_ns > 0) || !(s->runnable_ns > 0)) return 0;
    return s->runnable_ns / (s->cpu_ns + s->runnable_ns);
}

/* Many requests waiting at once share a bandwidth; few are each late. */
static stk_cause cause_of_read(const stk_diagnosis_ctx *c)
{
    const stk_profile       *p = c->profile;
    const stk_profile_stage *s = &p->stages[STK_STAGE_READ];
    const double             rate = p->measured_ns > 0 ? s->bytes / p->measured_ns * 1e9 : 0;
    const double             at_a_time = p->measured_ns > 0 ? s->busy_ns / p->measured_ns : 0;
    const double             links[] = {p->limits.disk_bytes, p->limits.link_bytes};
    for (int i = 0; i < 2; i++)
        if (links[i] > 0 && rate >= at_the_limit * links[i]) return STK_CAUSE_READ_BANDWIDTH;
    return at_a_time >= 2 ? STK_CAUSE_READ_BANDWIDTH : STK_CAUSE_READ_LATENCY;
}

bool stk_diagnosis_ctx_is_uneven(const stk_diagnosis_ctx *c)
{
    stk_what_if deep;
    stk_what_if_init(&deep);
    deep.buffer = 4 * c->model->buffer;
    const double now = c->rate, best = c->without[STK_STAGE_PREPROCESS];
    return c->model->helpers > 0 && stk_sim_model_rate(c->model, &deep) - now > 0.5 * (best - now);
}

static stk_cause cause_of_preprocess(const stk_diagnosis_ctx *c)
{
    const stk_profile_stage *s = &c->profile->stages[STK_STAGE_PREPROCESS];
    if (c->model->helpers > 0 && runnable_fraction(s) > waits_for_cores)
        return STK_CAUSE_CONTENTION;
    if (stk_diagnosis_ctx_is_uneven(c)) return STK_CAUSE_VARIANCE;
    if (stk_diagnosis_ctx_is_foreign(c) || c->profile->machine.cores < 1)
        return c->profile->program.workers == 0 ? STK_CAUSE_WORKERS : STK_CAUSE_INPUT;
    if (stk_diagnosis_ctx_best_workers(c).rate > c->rate * (1 + workers_help))
        return STK_CAUSE_WORKERS;
    return STK_CAUSE_CORES;
}

static stk_cause cause_of_compute(const stk_diagnosis_ctx *c)
{
    const stk_device_use use = stk_diagnosis_ctx_device_use(c);
    int64_t              batch;
    if (stk_device_is_launch_bound(&use)) return STK_CAUSE_LAUNCH;
    if (stk_diagnosis_ctx_has_odd_op(c)) return STK_CAUSE_OPERATION;
    if (stk_diagnosis_ctx_best_batch(c, &batch) >= much_faster) return STK_CAUSE_LAUNCH;
    if (use.known) return stk_device_cause(&use);
    if (runnable_fraction(&c->profile->stages[STK_STAGE_COMPUTE]) > waits_for_cores)
        return STK_CAUSE_CONTENTION;
    return STK_CAUSE_COMPUTE;
}

stk_cause stk_diagnosis_ctx_cause(const stk_diagnosis_ctx *c, stk_stage stage)
{
    static const stk_cause plain[STK_STAGE_COUNT] = {
        [STK_STAGE_NONE] = STK_CAUSE_OTHER,          [STK_STAGE_HOST_TO_DEVICE] = STK_CAUSE_COPY,
        [STK_STAGE_ALLREDUCE] = STK_CAUSE_ALLREDUCE, [STK_STAGE_DEVICE_TO_HOST] = STK_CAUSE_FETCH,
        [STK_STAGE_OUTPUT] = STK_CAUSE_CALLBACK,     [STK_STAGE_WRITE] = STK_CAUSE_WRITE,
    };
    if (stage == STK_STAGE_READ) return cause_of_read(c);
    if (stage == STK_STAGE_PREPROCESS) return cause_of_preprocess(c);
    if (stage == STK_STAGE_COMPUTE) return cause_of_compute(c);
    return plain[stage];
}
