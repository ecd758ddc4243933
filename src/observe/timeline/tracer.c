/* Recording by plan: the training thread switches the level and requests files; a thread of its own
 * writes them. */
#include "base/clock.h"
#include "observe/timeline/tracer_inside.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint64_t first_write_ns = 1000000000, write_every_ns = 5000000000;

static const char *const cause_names[STK_TRACER_CAUSES] = {"slow-step", "checkpoint-step"};

enum { LOW_PRIORITY = 10, FILES_MAX = 5 /* of each kind */ };

void stk_tracer_log(const stk_tracer *t, const char *format, ...)
{
    char    line[STK_TRACER_PATH + 256];
    va_list arguments;
    if (!t->options.log) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    t->options.log(t->options.log_context, line);
}

/* why (may be NULL): the cause of a failure. */
static bool write_file(stk_tracer *t, const char *path, uint64_t since, stk_trace_written *written,
                       stk_error *why)
{
    const stk_trace_file_options options = {
        .format = {.device = t->options.device, .since = since, .cuda_names = t->plan.cuda_names}};
    stk_error err;
    char      line[768];
    if (!stk_trace_write(t->trace, t->options.fs, path, &options, written, &err)) return true;
    if (why) *why = err;
    if (!t->failure.status) {
        t->failure = err;
        stk_tracer_log(t, "the trace could not be written, and training goes on: %s",
                       stk_error_line(&err, line, sizeof line));
    }
    return false;
}

static uint64_t recorded(const stk_tracer *t)
{
    stk_trace_stats stats;
    stk_trace_read_stats(t->trace, &stats);
    return stats.events + stats.dropped;
}

static void write_trace(stk_tracer *t)
{
    const uint64_t now = recorded(t);
    if (!t->plan.whole || now == t->written_events) return;
    if (write_file(t, t->path, 0, &t->written, NULL)) t->written_events = now;
}

static void write_jobs(stk_tracer *t)
{
    void *item;
    while (stk_ring_try_pop(t->jobs, &item)) {
        const stk_tracer_job *job = item;
        stk_trace_written     written = {0};
        stk_error             why = {0};
        const bool            done = write_file(t, job->path, job->since, &written, &why);
        if (job->asked) stk_tracer_ask_written(t, done ? &written : NULL, &why);
        free(item);
    }
}

/* Requests in a folder are polled. */
static uint64_t next_look(const stk_tracer *t, uint64_t wait_ns)
{
    static const uint64_t look_ns = 250000000;
    return t->options.listen && wait_ns > look_ns ? look_ns : wait_ns;
}

/* Rewriting the complete file takes at most a fiftieth of the time, whatever its size. */
static void *run(void *context)
{
    enum { TIMES_ITS_TIME = 50 };
    stk_tracer *t = context;
    uint64_t    due = stk_clock_ns() + first_write_ns;
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), LOW_PRIORITY);
    while (!__atomic_load_n(&t->stopping, __ATOMIC_ACQUIRE)) {
        const uint32_t epoch = stk_eventcount_epoch(&t->gate);
        const uint64_t begin = stk_clock_ns();
        stk_tracer_ask_listen(t);
        write_jobs(t);
        if (begin >= due || __atomic_exchange_n(&t->hurry, 0, __ATOMIC_ACQ_REL)) {
            write_trace(t);
            const uint64_t end = stk_clock_ns(), wait = (end - begin) * TIMES_ITS_TIME;
            due = end + (wait > write_every_ns ? wait : write_every_ns);
        }
        const uint64_t now = stk_clock_ns();
        stk_eventcount_wait(&t->gate, epoch, next_look(t, due > now ? due - now : 1));
    }
    return NULL;
}

/* Leaves no file behind. */
static stk_status try_path(const stk_tracer *t, stk_error *err)
{
    stk_output *out;
    if (!*t->plan.path) return STK_OK;
    STK_TRY(stk_output_create(&out, t->options.fs, t->path, err));
    stk_output_close(out);
    return STK_OK;
}

static stk_status start(stk_tracer *t, stk_error *err)
{
    const stk_trace_options how = {.level = t->plan.level, .nvtx = t->plan.nvtx};
    STK_TRY(try_path(t, err));
    STK_TRY(stk_trace_new(&t->trace, &how, err));
    if (t->plan.idle || t->plan.first_step > 0) stk_trace_set_level(t->trace, STK_TRACE_OFF);
    STK_TRY(stk_tracer_ask_start(t, err));
    STK_TRY(stk_ring_new(&t->jobs, STK_TRACER_JOBS, err));
    STK_TRY(stk_eventcount_init(&t->gate, err));
    t->has_gate = true;
    return stk_thread_start(&t->thread, "tracer", run, t, err);
}

stk_status stk_tracer_start(stk_tracer **out, const stk_tracer_plan *plan,
                            const stk_tracer_options *options, stk_error *err)
{
    *out = NULL;
    stk_tracer *t = calloc(1, sizeof *t);
    if (!t) return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for a tracer");
    t->plan = *plan;
    t->options = *options;
    t->seen = -1;
    snprintf(t->folder, sizeof t->folder, "%s", options->folder ? options->folder : ".");
    if (*plan->path)
        snprintf(t->path, sizeof t->path, "%s", plan->path);
    else
        snprintf(t->path, sizeof t->path, "%s/trace.json.gz", t->folder);
    const stk_status st = start(t, err);
    if (st) {
        stk_tracer_free(t);
        return st;
    }
    *out = t;
    return STK_OK;
}

stk_trace *stk_tracer_trace(stk_tracer *tracer)
{
    return tracer->trace;
}

void stk_tracer_follow(stk_tracer *tracer, stk_meter *meter)
{
    tracer->meter = meter;
}

static stk_trace_level planned(const stk_tracer_plan *plan, int64_t step)
{
    if (plan->idle) return STK_TRACE_OFF;
    if (plan->first_step < 0) return plan->level;
    return step >= plan->first_step && step <= plan->last_step ? plan->level : STK_TRACE_OFF;
}

/* Sets the level of the next step: the plan's, or a request's higher one. */
static void switch_level(stk_tracer *t, int64_t step)
{
    const stk_tracer_plan *plan = &t->plan;
    const stk_trace_level  requested = stk_tracer_ask_step(t, step),
                          wanted = planned(plan, step + 1);
    stk_trace_set_level(t->trace, requested > wanted ? requested : wanted);
    if (!plan->idle && plan->first_step >= 0 &&
        step == plan->last_step + 1) { /* its last event is recorded now */
        __atomic_store_n(&t->hurry, 1, __ATOMIC_RELEASE);
        stk_eventcount_signal(&t->gate);
    }
}

static void ask_for_file(stk_tracer *t, stk_tracer_cause why, int64_t step)
{
    enum { KEPT = STK_TRACER_BEFORE + 2 };
    if (t->pending || t->files[why] >= FILES_MAX) return;
    stk_tracer_job *j = calloc(1, sizeof *j);
    if (!j) return;
    const uint64_t oldest = t->step_count < KEPT ? 0 : t->step_count - KEPT;
    snprintf(j->path, sizeof j->path, "%s/%s-%" PRId64 ".json.gz", t->folder, cause_names[why],
             step);
    j->since = t->begins[oldest % KEPT];
    j->due = step + STK_TRACER_AFTER;
    t->pending = j;
    stk_tracer_log(t, "the steps around step %" PRId64 " go to %s%s", step, j->path,
                   ++t->files[why] == FILES_MAX ? "; no more such files are written" : "");
}

/* Compares a step only with others of its kind. */
static void check_slow(stk_tracer *t, const stk_step_record *step)
{
    const uint64_t median = stk_slow_step_median(&t->slow);
    if (step->marks & STK_STEP_FIRST) return;
    if (median && t->plan.slow_times && (double)step->ns > t->plan.slow_times * (double)median) {
        stk_tracer_log(t, "step %" PRId64 " took %.1f ms, %.1f times the median of those before it",
                       step->step, (double)step->ns / 1e6, (double)step->ns / (double)median);
        ask_for_file(t, STK_TRACER_SLOW_STEP, step->step);
    } else if (t->plan.on_checkpoint && step->marks & STK_STEP_CHECKPOINT) {
        ask_for_file(t, STK_TRACER_CHECKPOINT, step->step);
    }
    stk_slow_step_add(&t->slow, step->ns);
}

static void hand_over(stk_tracer *t)
{
    if (!t->pending) return;
    if (!stk_ring_try_push(t->jobs, t->pending)) free(t->pending); /* the disk is too slow */
    t->pending = NULL;
    stk_eventcount_signal(&t->gate);
}

void stk_tracer_step(stk_tracer *tracer, int64_t step)
{
    stk_step_record last;
    switch_level(tracer, step);
    if (!tracer->plan.slow_times && !tracer->plan.on_checkpoint) return;
    if (tracer->pending && step >= tracer->pending->due) hand_over(tracer);
    if (stk_meter_steps(tracer->meter, &last, 1) && last.step != tracer->seen) {
        tracer->seen = last.step;
        check_slow(tracer, &last);
    }
    tracer->begins[tracer->step_count++ % (STK_TRACER_BEFORE + 2)] = stk_trace_now();
}

static void stop(stk_tracer *t)
{
    if (!t->has_gate) return;
    __atomic_store_n(&t->stopping, 1, __ATOMIC_RELEASE);
    stk_eventcount_signal(&t->gate);
    stk_thread_join(&t->thread);
}

static void log_file(const stk_tracer *t)
{
    const stk_trace_written *w = &t->written;
    if (!t->written_events) {
        if (!t->failure.status) stk_tracer_log(t, "no step was recorded: there is no trace");
        return;
    }
    stk_tracer_log(t, "trace: %s, %" PRIu64 " events%s", t->path, w->events,
                   w->dropped || w->left_out ? "" : ", none dropped");
    if (w->dropped || w->left_out)
        stk_tracer_log(
            t, "trace: %" PRIu64 " older events are not in it; steps=A-B or level=1 keeps to fewer",
            w->dropped + w->left_out);
}

stk_status stk_tracer_finish(stk_tracer *tracer, stk_error *err)
{
    stk_trace_set_level(tracer->trace, STK_TRACE_OFF);
    hand_over(tracer);
    stk_tracer_ask_finish(tracer);
    stop(tracer);
    write_jobs(tracer);
    stk_tracer_ask_reply(tracer);
    write_trace(tracer);
    if (tracer->plan.whole) log_file(tracer);
    if (tracer->failure.status && err) *err = tracer->failure;
    return tracer->failure.status;
}

void stk_tracer_free(stk_tracer *tracer)
{
    void *item;
    if (!tracer) return;
    stop(tracer);
    free(tracer->pending);
    while (tracer->jobs && stk_ring_try_pop(tracer->jobs, &item))
        free(item);
    stk_ring_free(tracer->jobs);
    if (tracer->has_gate) stk_eventcount_release(&tracer->gate);
    stk_tracer_ask_end(tracer);
    stk_trace_free(tracer->trace);
    free(tracer);
}
