/* The rest of a profile: times of operations, other batches, the cost of observing, peaks of the
 * machine. Measured after the run, so that it is not disturbed. */
#include "base/clock.h"
#include "profiler/profiler_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BATCHES = 6, WARM_UP = 2, MIN_STEPS = 3, LARGEST_BATCH = 1 << 20 };

/* A larger batch that is no faster by this ends the search. */
static const double min_batch_gain = 1.02;

/* Fractions of the time there is. */
static const double ops_fraction = 0.2, observing_fraction = 0.8, batches_fraction = 0.4;

static double now_s(void)
{
    return (double)stk_clock_ns() / 1e9;
}

static stk_status run_steps(stk_train_bench *bench, const stk_cancel *cancel, double seconds,
                            double *steps_per_s, stk_error *err)
{
    for (int i = 0; i < WARM_UP; i++)
        STK_TRY(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err));
    const double begin = now_s();
    double       now = begin;
    int          steps = 0;
    while (steps < MIN_STEPS || now - begin < seconds) {
        STK_TRY(stk_cancel_check(cancel, "profile", err));
        STK_TRY(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err));
        now = now_s();
        steps++;
    }
    *steps_per_s = steps / (now - begin);
    return STK_OK;
}

/* The profile of the bench has them; what else it has is not this run's. */
static stk_status take_operations(stk_profile *p, stk_train_bench *bench, stk_error *err)
{
    stk_profile      other;
    const stk_status st = stk_train_bench_profile(bench, &other, err);
    if (!st) {
        stk_profile_op *ops = p->ops;
        p->ops = other.ops;
        p->op_count = other.op_count;
        other.ops = ops;
    }
    stk_profile_release(&other);
    return st;
}

static stk_status time_operations(stk_profile *p, stk_train_bench *bench, const stk_cancel *cancel,
                                  double seconds, stk_error *err)
{
    stk_program *program = stk_train_bench_program(bench);
    double       unused;
    stk_program_time(program, true);
    STK_TRY(run_steps(bench, cancel, seconds, &unused, err));
    stk_program_time(program, false);
    return take_operations(p, bench, err);
}

static void add_batch(stk_profile *p, int64_t batch, double rate, const stk_memory_plan *plan)
{
    p->batches[p->batch_count++] = (stk_profile_batch){
        .batch = batch, .samples_per_s = rate, .bytes = (double)(plan->arena + plan->fixed)};
}

/* Faults of other stages have no place where compute is measured alone. */
static stk_inject of_compute(const stk_profiler_job *job)
{
    const stk_inject *all = job->options.inject;
    return (stk_inject){.op_times = all ? all->op_times : 0};
}

/* At the run's own batch: rate, operations, overhead, lints. */
static stk_status measure_step(stk_profile *p, stk_lint_list *lints, const stk_profiler_job *job,
                               double seconds, stk_memory_plan *plan, stk_error *err)
{
    stk_trace              *trace = NULL;
    stk_train_bench        *bench = NULL;
    stk_lint_machine        machine;
    double                  rate = 0;
    const stk_trace_options options = {.events_per_thread = 1 << 12};
    stk_status              st = stk_trace_new(&trace, &options, err);
    stk_trace_set_level(trace, STK_TRACE_OFF);
    const stk_inject              faults = of_compute(job);
    const stk_train_bench_options how = {
        .trace = trace, .cancel = job->options.cancel, .inject = &faults};
    if (!st) st = stk_train_bench_open(&bench, &job->recipe, &job->data, &how, err);
    if (!st) st = run_steps(bench, how.cancel, seconds * ops_fraction / 2, &rate, err);
    if (!st) st = time_operations(p, bench, how.cancel, seconds * ops_fraction / 2, err);
    if (!st) {
        *plan = stk_program_memory(stk_train_bench_program(bench));
        add_batch(p, job->recipe.data.batch, rate * (double)job->recipe.data.batch, plan);
        stk_lint_machine_read(&machine);
        stk_lint_program(lints, stk_train_bench_program(bench), &machine);
        st = stk_profiler_measure_observing(p, bench, trace, seconds * observing_fraction,
                                            how.cancel, err);
    }
    stk_train_bench_free(bench);
    stk_trace_free(trace);
    return st;
}

static stk_status measure_batch(stk_profile *p, const stk_profiler_job *job, int64_t batch,
                                double seconds, stk_memory_plan *plan, stk_error *err)
{
    stk_train_recipe recipe = job->recipe;
    stk_train_bench *bench = NULL;
    double           rate = 0;
    recipe.data.batch = batch;
    const stk_inject              faults = of_compute(job);
    const stk_train_bench_options how = {.inject = &faults};
    stk_status                    st = stk_train_bench_open(&bench, &recipe, NULL, &how, err);
    if (!st) st = run_steps(bench, job->options.cancel, seconds, &rate, err);
    if (!st) {
        *plan = stk_program_memory(stk_train_bench_program(bench));
        add_batch(p, batch, rate * (double)batch, plan);
    }
    stk_train_bench_free(bench);
    return st;
}

/* Twice, four times...: until it is no faster, does not fit, or the time is over. */
static stk_status measure_batches(stk_profile *p, const stk_profiler_job *job, double seconds,
                                  const stk_memory_plan *first, stk_error *err)
{
    const double  begin = now_s();
    const double  memory = p->device.memory > 0 ? 0.9 * p->device.memory /* as programs take */
                                                : (double)p->machine.memory / 2;
    const int64_t at_first = job->recipe.data.batch;
    int64_t       batch = 2 * at_first;
    for (int i = 1; i < MAX_BATCHES && batch <= LARGEST_BATCH; i++, batch *= 2) {
        const stk_profile_batch last = p->batches[p->batch_count - 1];
        const double            step_s = (double)batch / last.samples_per_s;
        const double            left = seconds - (now_s() - begin);
        stk_memory_plan         plan;
        if (memory > 0 && 2 * last.bytes > memory) break;
        if (left < (WARM_UP + MIN_STEPS) * step_s) break;
        STK_TRY(measure_batch(p, job, batch, seconds / MAX_BATCHES, &plan, err));
        if (i == 1 && memory > 0 &&
            stk_memory_largest_batch(first, at_first, &plan, batch, (uint64_t)memory,
                                     &p->largest_batch, err))
            p->largest_batch = -1;
        if (p->batches[p->batch_count - 1].samples_per_s < min_batch_gain * last.samples_per_s)
            break;
    }
    return STK_OK;
}

/* The run's own batch and the best once more, in turn: other programs only slow down, so the faster
 * of two times counts. */
static stk_status measure_again(stk_profile *p, const stk_profiler_job *job, double seconds,
                                stk_error *err)
{
    size_t best = 0;
    for (size_t i = 1; i < p->batch_count; i++)
        if (p->batches[i].samples_per_s > p->batches[best].samples_per_s) best = i;
    const size_t pair[] = {0, best}, count = p->batch_count;
    for (size_t i = 0; i < 2 && best; i++) {
        stk_memory_plan    unused;
        stk_profile_batch *b = &p->batches[pair[i]];
        STK_TRY(measure_batch(p, job, b->batch, seconds, &unused, err));
        const double again = p->batches[count].samples_per_s;
        if (again > b->samples_per_s) b->samples_per_s = again;
        p->batch_count = count;
    }
    return STK_OK;
}

static void lint_the_rest(stk_lint_list *lints, const stk_profiler_job *job, const stk_profile *p)
{
    stk_lint_machine machine;
    stk_lint_storage storage;
    stk_error        unasked;
    stk_lint_machine_read(&machine);
    stk_lint_storage_read(&storage, &job->recipe);
    stk_lint_recipe(lints, &job->recipe, &job->data, &machine, &storage);
    if (stk_lint_input(lints, &job->recipe, &job->data, &unasked)) return;
    stk_lint_rank(lints, p);
}

static stk_status measure(stk_profile *p, stk_lint_list *lints, const stk_profiler_job *job,
                          stk_error *err)
{
    const double    seconds = job->extra_seconds;
    stk_memory_plan plan;
    stk_profile_probe(&p->limits, p->machine.cores, job->recipe.data.path);
    p->limits.link_bytes = p->machine.link_bytes;
    p->limits.launch_ns = stk_profiler_launch_ns(p->run.backend);
    stk_profiler_probe_device(&p->limits, p->run.backend, p->run.precision);
    free(p->batches);
    p->batch_count = 0;
    p->batches = calloc(MAX_BATCHES + 1, sizeof *p->batches); /* one is measured again */
    if (!p->batches) return stk_fail(err, STK_E_NOMEM, "profile", NULL, "no memory for batches");
    STK_TRY(measure_step(p, lints, job, seconds, &plan, err));
    STK_TRY(measure_batches(p, job, seconds * batches_fraction, &plan, err));
    return measure_again(p, job, seconds * batches_fraction / MAX_BATCHES, err);
}

stk_status stk_profiler_measure_extras(stk_profile *profile, stk_lint_list *lints,
                                       const stk_profiler_job *job, stk_error *err)
{
    const stk_status st = measure(profile, lints, job, err);
    lint_the_rest(lints, job, profile);
    return st;
}
