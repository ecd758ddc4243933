/* Recording by plan: the training thread switches the level and asks for files; a thread of its own
 * writes them. */
#include "base/clock.h"
#include "base/ring.h"
#include "base/threads.h"
#include "observe/timeline/slow_step.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/trace_file.h>
#include <stoker/tracer.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    STEPS_BEFORE = 10, /* in a file of a slow step */
    STEPS_AFTER = 3,
    FILES_MOST = 5, /* of a kind */
    JOBS = 4,
    LOW_PRIORITY = 10
};
static const uint64_t first_write_ns = 1000000000, write_every_ns = 5000000000;

typedef enum cause { SLOW_STEP, CHECKPOINT, CAUSES } cause;

static const char *const cause_names[CAUSES] = {"slow-step", "checkpoint-step"};

/* A file that is asked for: the steps around one. */
typedef struct job {
    char     path[STK_TRACER_PATH + 64];
    uint64_t since;
    int64_t  due; /* the step after which it is written */
} job;

struct stk_tracer {
    stk_tracer_plan    plan;
    stk_tracer_options options;
    char               folder[STK_TRACER_PATH];
    char               path[STK_TRACER_PATH + 32]; /* of the whole file */
    stk_trace         *trace;
    stk_thread         thread;
    stk_gate           gate;
    bool               has_gate;
    stk_ring          *jobs;
    int                stopping; /* atomic */
    int                hurry;    /* atomic: the whole file is complete, and to be written */

    /* The training thread's. */
    stk_meter    *meter;
    stk_slow_step slow;
    int64_t       seen;                     /* the last step that was judged */
    uint64_t      begins[STEPS_BEFORE + 2]; /* of the last steps: a ring of stk_trace_now */
    uint64_t      step_count;               /* steps told so far */
    job          *pending;                  /* waits for the steps after it */
    int           files[CAUSES];

    /* The writer's, and the training thread's after its end. */
    uint64_t          written_events; /* as of the last whole file */
    stk_trace_written written;
    stk_error         failure; /* the first; status STK_OK: none */
};

static void tell(const stk_tracer *t, const char *format, ...)
{
    char    line[STK_TRACER_PATH + 256];
    va_list arguments;
    if (!t->options.log) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    t->options.log(t->options.log_context, line);
}

static bool write_file(stk_tracer *t, const char *path, uint64_t since, stk_trace_written *written)
{
    const stk_trace_file_options options = {
        .format = {.device = t->options.device, .since = since, .cuda_names = t->plan.cuda_names}};
    stk_error err;
    char      line[768];
    if (!stk_trace_write(t->trace, t->options.fs, path, &options, written, &err)) return true;
    if (!t->failure.status) {
        t->failure = err;
        tell(t, "the trace could not be written, and training goes on: %s",
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

static void write_whole(stk_tracer *t)
{
    const uint64_t now = recorded(t);
    if (!t->plan.whole || now == t->written_events) return;
    if (write_file(t, t->path, 0, &t->written)) t->written_events = now;
}

static void write_jobs(stk_tracer *t)
{
    void *item;
    while (stk_ring_try_pop(t->jobs, &item)) {
        stk_trace_written unasked;
        (void)write_file(t, ((job *)item)->path, ((job *)item)->since, &unasked);
        free(item);
    }
}

/* Writing all of it again takes at most a fiftieth of the time, however much there is. */
static void *run(void *context)
{
    enum { TIMES_ITS_TIME = 50 };
    stk_tracer *t = context;
    uint64_t    due = stk_clock_ns() + first_write_ns;
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), LOW_PRIORITY);
    while (!__atomic_load_n(&t->stopping, __ATOMIC_ACQUIRE)) {
        const uint32_t epoch = stk_gate_epoch(&t->gate);
        const uint64_t begin = stk_clock_ns();
        write_jobs(t);
        if (begin >= due || __atomic_exchange_n(&t->hurry, 0, __ATOMIC_ACQ_REL)) {
            write_whole(t);
            const uint64_t end = stk_clock_ns(), wait = (end - begin) * TIMES_ITS_TIME;
            due = end + (wait > write_every_ns ? wait : write_every_ns);
        }
        const uint64_t now = stk_clock_ns();
        stk_gate_wait(&t->gate, epoch, due > now ? due - now : 1);
    }
    return NULL;
}

/* Nothing stays of the try. */
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
    if (t->plan.first_step > 0) stk_trace_set_level(t->trace, STK_TRACE_OFF);
    STK_TRY(stk_ring_new(&t->jobs, JOBS, err));
    STK_TRY(stk_gate_init(&t->gate, err));
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

/* The level is that of the step which comes next. */
static void switch_level(stk_tracer *t, int64_t step)
{
    const stk_tracer_plan *plan = &t->plan;
    if (plan->first_step < 0) return;
    const bool inside = step + 1 >= plan->first_step && step + 1 <= plan->last_step;
    stk_trace_set_level(t->trace, inside ? plan->level : STK_TRACE_OFF);
    if (step == plan->last_step + 1) { /* its last event is there now */
        __atomic_store_n(&t->hurry, 1, __ATOMIC_RELEASE);
        stk_gate_signal(&t->gate);
    }
}

static void ask_for_file(stk_tracer *t, cause why, int64_t step)
{
    enum { KEPT = STEPS_BEFORE + 2 };
    if (t->pending || t->files[why] >= FILES_MOST) return;
    job *j = malloc(sizeof *j);
    if (!j) return;
    const uint64_t oldest = t->step_count < KEPT ? 0 : t->step_count - KEPT;
    snprintf(j->path, sizeof j->path, "%s/%s-%" PRId64 ".json.gz", t->folder, cause_names[why],
             step);
    j->since = t->begins[oldest % KEPT];
    j->due = step + STEPS_AFTER;
    t->pending = j;
    tell(t, "the steps around step %" PRId64 " go to %s%s", step, j->path,
         ++t->files[why] == FILES_MOST ? "; no more such files are written" : "");
}

/* A step that takes long is one only beside others of its kind. */
static void judge(stk_tracer *t, const stk_step_record *step)
{
    const uint64_t median = stk_slow_step_median(&t->slow);
    if (step->marks & STK_STEP_FIRST) return;
    if (median && t->plan.slow_times && (double)step->ns > t->plan.slow_times * (double)median) {
        tell(t, "step %" PRId64 " took %.1f ms, %.1f times the median of those before it",
             step->step, (double)step->ns / 1e6, (double)step->ns / (double)median);
        ask_for_file(t, SLOW_STEP, step->step);
    } else if (t->plan.on_checkpoint && step->marks & STK_STEP_CHECKPOINT) {
        ask_for_file(t, CHECKPOINT, step->step);
    }
    stk_slow_step_add(&t->slow, step->ns);
}

static void hand_over(stk_tracer *t)
{
    if (!t->pending) return;
    if (!stk_ring_try_push(t->jobs, t->pending)) free(t->pending); /* the disk is too slow */
    t->pending = NULL;
    stk_gate_signal(&t->gate);
}

void stk_tracer_step(stk_tracer *tracer, int64_t step)
{
    stk_step_record last;
    switch_level(tracer, step);
    if (!tracer->plan.slow_times && !tracer->plan.on_checkpoint) return;
    if (tracer->pending && step >= tracer->pending->due) hand_over(tracer);
    if (stk_meter_steps(tracer->meter, &last, 1) && last.step != tracer->seen) {
        tracer->seen = last.step;
        judge(tracer, &last);
    }
    tracer->begins[tracer->step_count++ % (STEPS_BEFORE + 2)] = stk_trace_now();
}

static void stop(stk_tracer *t)
{
    if (!t->has_gate) return;
    __atomic_store_n(&t->stopping, 1, __ATOMIC_RELEASE);
    stk_gate_signal(&t->gate);
    stk_thread_join(&t->thread);
}

static void tell_of_whole(const stk_tracer *t)
{
    const stk_trace_written *w = &t->written;
    if (!t->written_events) {
        if (!t->failure.status) tell(t, "no step was recorded: there is no trace");
        return;
    }
    tell(t, "trace: %s, %" PRIu64 " events%s", t->path, w->events,
         w->dropped || w->left_out ? "" : ", none dropped");
    if (w->dropped || w->left_out)
        tell(t,
             "trace: %" PRIu64 " older events are not in it; steps=A-B or level=1 keeps to fewer",
             w->dropped + w->left_out);
}

stk_status stk_tracer_finish(stk_tracer *tracer, stk_error *err)
{
    stk_trace_set_level(tracer->trace, STK_TRACE_OFF);
    hand_over(tracer);
    stop(tracer);
    write_jobs(tracer);
    write_whole(tracer);
    if (tracer->plan.whole) tell_of_whole(tracer);
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
    if (tracer->has_gate) stk_gate_release(&tracer->gate);
    stk_trace_free(tracer->trace);
    free(tracer);
}
