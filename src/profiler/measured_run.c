/* Training that is measured. The order matters: nothing is recorded but counters until the measured
 * part is over. */
#include "base/clock.h"
#include "profiler/profiler_internal.h"
#include "train/resolve/endless.h"

#include <stoker/monitor.h>
#include <stoker/trainer.h>

enum { TRACED_STEPS = 10, TRACE_EVENTS = 1 << 16 };

static const uint64_t progress_ns = 200000000;

typedef struct session {
    const stk_profiler_job *job;
    stk_profiler_result    *out;
    stk_trainer            *trainer;
    stk_monitor            *monitor;
    stk_cancel              stop;
    stk_callback            callback;
    int64_t                 steps, measured, traced; /* the training thread's, as what follows */
    uint64_t                begin_ns, told_ns;
    stk_profiler_part       told;
    bool                    done;   /* measuring is over, and the profile is taken */
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

static double fraction_of(const session *s, uint64_t now)
{
    const stk_profiler_options *o = &s->job->options;
    if (s->done) return 1;
    if (s->steps <= STK_TRAIN_WARM_UP) return 0;
    const double fraction = o->steps > 0 ? (double)s->measured / (double)o->steps
                                         : (double)(now - s->begin_ns) / 1e9 / o->seconds;
    return fraction < 1 ? fraction : 1;
}

static void tell(session *s, uint64_t now)
{
    const stk_profiler_part part = s->done                        ? STK_PROFILER_TRACE
                                   : s->steps > STK_TRAIN_WARM_UP ? STK_PROFILER_MEASURE
                                                                  : STK_PROFILER_WARM_UP;
    if (part == s->told && now - s->told_ns < progress_ns) return;
    s->told = part;
    s->told_ns = now;
    stk_profiler_tell(s->job, part, s->steps, fraction_of(s, now));
}

static void trace_or_stop(session *s)
{
    const bool device = s->out->profile.device.work_ns >= 0;
    if (s->out->trace)
        stk_trace_set_level(s->out->trace, device ? STK_TRACE_KERNELS : STK_TRACE_OPS);
    else
        stk_cancel_request(&s->stop);
}

/* Warm-up, measuring, tracing, end. */
static void count_step(session *s, uint64_t now)
{
    if (++s->steps <= STK_TRAIN_WARM_UP) {
        s->begin_ns = now;
        return;
    }
    if (!s->done && fraction_of(s, now) < 1) {
        s->measured++; /* complete at the next call: this one is part of the step */
        return;
    }
    if (!s->done) {
        take_profile(s);
        trace_or_stop(s);
        return;
    }
    if (++s->traced < TRACED_STEPS) return;
    stk_trace_set_level(s->out->trace, STK_TRACE_OFF);
    stk_cancel_request(&s->stop);
}

static void on_step(void *context, const stk_train_progress *progress)
{
    session       *s = context;
    const uint64_t now = stk_clock_ns();
    (void)progress;
    stk_monitor_count(s->monitor, (uint64_t)s->job->recipe.data.batch);
    count_step(s, now);
    tell(s, now);
}

/* On the monitor's thread: cancel is noticed even while training waits for input. */
static void on_sample(void *context, const stk_resource_sample *sample)
{
    session *s = context;
    (void)sample;
    if (stk_cancel_requested(s->job->options.cancel)) stk_cancel_request(&s->stop);
}

static stk_status open_trace(session *s, stk_error *err)
{
    const stk_trace_options options = {.events_per_thread = TRACE_EVENTS, .level = STK_TRACE_OPS};
    if (s->job->options.no_trace) return STK_OK;
    STK_TRY(stk_trace_new(&s->out->trace, &options, err));
    stk_trace_set_level(s->out->trace, STK_TRACE_OFF);
    return STK_OK;
}

static stk_status open_all(session *s, stk_error *err)
{
    const stk_profiler_options *o = &s->job->options;
    const stk_monitor_options   monitor = {
          .interval_s = 0.2, .samples = STK_PROFILE_SAMPLES, .sampled = on_sample, .context = s};
    s->callback = (stk_callback){.name = "profile", .on_step = on_step, .context = s};
    STK_TRY(open_trace(s, err));
    const stk_trainer_options how = {.callbacks = &s->callback,
                                     .callback_count = 1,
                                     .cancel = &s->stop,
                                     .trace = s->out->trace,
                                     .inject = o->inject,
                                     .brief = true,
                                     .log = o->log,
                                     .log_context = o->context};
    STK_TRY(stk_trainer_open(&s->trainer, &s->job->recipe, &s->job->data, &how, err));
    return stk_monitor_start(&s->monitor, &monitor, err);
}

static stk_status run(session *s, stk_error *err)
{
    stk_train_result result;
    STK_TRY(open_all(s, err));
    STK_TRY(stk_trainer_run(s->trainer, &result, err));
    stk_monitor_stop(s->monitor);
    s->out->interrupted = stk_cancel_requested(s->job->options.cancel);
    take_profile(s);
    if (s->status) {
        *err = s->error;
        return s->status;
    }
    return stk_profile_take_resources(&s->out->profile, s->monitor, err);
}

stk_status stk_profiler_train(stk_profiler_result *out, stk_profiler_job *job, stk_error *err)
{
    session s = {.job = job, .out = out};
    stk_train_make_endless(&job->recipe, &job->data);
    const stk_status st = run(&s, err);
    stk_trainer_free(s.trainer);
    stk_monitor_free(s.monitor);
    return st;
}
