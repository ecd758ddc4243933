/* A run of training that is measured. The order matters: nothing is recorded but counters until the
 * measured part is over. */
#include "measured_run.h"

#include "profile_resources.h"
#include "signals.h"
#include "spread.h"
#include "train_progress.h"

#include <stdlib.h>
#include <string.h>

enum { TRACED_STEPS = 10, TRACE_EVENTS = 1 << 16 };

/* Evaluations belong to no step; epochs are as many as the time may hold. */
static const double epochs_enough = 100000;

typedef struct session {
    const cli_profile_plan *plan;
    cli_measured_run       *out;
    stk_trainer            *trainer;
    stk_monitor            *monitor;
    stk_cancel              stop;
    cli_train_watch         watch;
    stk_callback            callbacks[2];
    int64_t                 steps, measured, traced, batch; /* the training thread's */
    double                  begin;
    bool                    done;   /* measuring is over, and profile is taken */
    stk_status              status; /* of taking it */
    stk_error               error;
} session;

static void take_profile(session *s)
{
    if (s->done) return;
    s->done = true;
    stk_profile_release(&s->out->profile);
    s->status = stk_trainer_profile(s->trainer, &s->out->profile, &s->error);
}

static bool measured_enough(const session *s)
{
    if (s->plan->steps) return s->measured >= s->plan->steps;
    return cli_seconds_now() - s->begin >= s->plan->seconds;
}

/* On the training thread: warm-up, measuring, tracing, end. */
static void on_step(void *context, const stk_train_progress *progress)
{
    session *s = context;
    (void)progress;
    stk_monitor_count(s->monitor, (uint64_t)s->batch);
    if (++s->steps <= STK_TRAIN_WARM_UP) {
        s->begin = cli_seconds_now();
        return;
    }
    if (!s->done) {
        s->measured++;
        if (!measured_enough(s)) return;
        take_profile(s);
        stk_trace_set_level(s->out->trace,
                            s->out->profile.device.work_ns < 0 ? STK_TRACE_OPS : STK_TRACE_KERNELS);
        return;
    }
    if (++s->traced < TRACED_STEPS) return;
    stk_trace_set_level(s->out->trace, STK_TRACE_OFF);
    stk_cancel_request(&s->stop);
}

/* On the monitor's thread, so that Ctrl-C is noticed even while training waits for input. */
static void on_sample(void *context, const stk_resource_sample *sample)
{
    session *s = context;
    (void)sample;
    if (stk_cancel_requested(cli_signals_token())) stk_cancel_request(&s->stop);
}

static stk_status open_all(session *s, cli_train_job *job, stk_error *err)
{
    const stk_trace_options   trace = {.events_per_thread = TRACE_EVENTS, .level = STK_TRACE_OPS};
    const stk_monitor_options monitor = {
        .interval_s = 0.2, .samples = CLI_PROFILE_SAMPLES, .sampled = on_sample, .context = s};
    STK_TRY(stk_trace_new(&s->out->trace, &trace, err));
    stk_trace_set_level(s->out->trace, STK_TRACE_OFF);
    s->callbacks[0] = cli_train_watch_callback(&s->watch);
    s->callbacks[1] = (stk_callback){.name = "profile", .on_step = on_step, .context = s};
    const stk_trainer_options how = {.callbacks = s->callbacks,
                                     .callback_count = 2,
                                     .cancel = &s->stop,
                                     .trace = s->out->trace,
                                     .inject = &job->inject,
                                     .brief = true,
                                     .log = cli_train_watch_log,
                                     .log_context = &s->watch};
    STK_TRY(stk_trainer_open(&s->trainer, &job->recipe, &job->data, &how, err));
    return stk_monitor_start(&s->monitor, &monitor, err);
}

static stk_status run(session *s, cli_train_job *job, stk_error *err)
{
    stk_train_result result;
    STK_TRY(open_all(s, job, err));
    STK_TRY(stk_trainer_run(s->trainer, &result, err));
    stk_monitor_stop(s->monitor);
    s->out->interrupted = stk_cancel_requested(cli_signals_token());
    take_profile(s);
    if (s->status) {
        *err = s->error;
        return s->status;
    }
    return cli_profile_take_resources(&s->out->profile, s->monitor, err);
}

/* A run that reads its data once keeps nothing of it; measured for longer it must not, either. */
static void keep_as_asked(cli_train_job *job)
{
    stk_train_recipe *r = &job->recipe;
    const double      seen = (double)r->train.steps * (double)r->data.batch;
    const bool        once = r->train.epochs <= 1 || seen <= (double)job->data.train_count;
    if (once && r->data.cache == STK_CACHE_AUTO) r->data.cache = STK_CACHE_NONE;
}

stk_status cli_measure_run(cli_measured_run *out, cli_train_job *job, const cli_profile_plan *plan,
                           stk_error *err)
{
    session s = {.plan = plan, .out = out, .batch = job->recipe.data.batch};
    *out = (cli_measured_run){0};
    stk_profile_init(&out->profile);
    job->data.validation_count = 0;
    keep_as_asked(job);
    if (job->recipe.train.epochs < epochs_enough) job->recipe.train.epochs = epochs_enough;
    job->recipe.train.steps = -1;
    cli_train_watch_init(&s.watch, s.batch, true);
    const stk_status st = run(&s, job, err);
    stk_trainer_free(s.trainer);
    stk_monitor_free(s.monitor);
    cli_train_watch_release(&s.watch);
    return st;
}

void cli_measured_run_release(cli_measured_run *result)
{
    stk_profile_release(&result->profile);
    stk_trace_free(result->trace);
    result->trace = NULL;
}
