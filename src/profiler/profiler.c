/* The call: prepare, train, measure the rest, diagnose, write files. */
#include "base/clock.h"
#include "profiler/profiler_internal.h"

#include <stdio.h>
#include <stdlib.h>

static const double default_seconds = 20, min_extra_seconds = 2, max_extra_seconds = 10;

void stk_profiler_tell(const stk_profiler_job *job, stk_profiler_part part, int64_t steps,
                       double fraction)
{
    const stk_profiler_progress progress = {.part = part,
                                            .steps = steps,
                                            .seconds =
                                                (double)(stk_clock_ns() - job->begin_ns) / 1e9,
                                            .fraction = fraction};
    if (job->options.progress) job->options.progress(job->options.context, &progress);
}

/* Half of the training that is measured. A few steps are over at once, but peaks take their time.
 */
static double extra_seconds(const stk_profiler_options *o, const stk_profile *measured)
{
    if (o->extra_seconds) return o->extra_seconds;
    double half = o->seconds / 2;
    if (o->steps) half = measured->measured_ns / 2e9;
    if (o->steps && half < min_extra_seconds) half = min_extra_seconds;
    return half < max_extra_seconds ? half : max_extra_seconds;
}

static stk_status prepare(stk_profiler_job *job, const stk_train_recipe *recipe,
                          const stk_train_data *data, stk_error *err)
{
    job->recipe = *recipe;
    if (!(job->options.seconds > 0)) job->options.seconds = default_seconds;
    stk_profiler_tell(job, STK_PROFILER_PREPARE, 0, 0);
    STK_TRY(stk_profiler_make_folders(job, err));
    if (data) {
        job->data = *data;
        return STK_OK;
    }
    STK_TRY(stk_train_data_read(&job->read, &job->recipe, err));
    STK_TRY(stk_train_resolve(&job->recipe, &job->read, NULL, err));
    job->data = job->read;
    return STK_OK;
}

/* Cancelled extras are no failure: what is there is diagnosed. */
static void measure_extras(stk_profiler_result *out, stk_lint_list *lints,
                           const stk_profiler_job *job)
{
    stk_error err;
    if (out->interrupted || job->extra_seconds < 0) return;
    stk_profiler_tell(job, STK_PROFILER_EXTRAS, 0, 1);
    const stk_status st = stk_profiler_measure_extras(&out->profile, lints, job, &err);
    out->interrupted = stk_cancel_requested(job->options.cancel);
    if (st && st != STK_E_CANCELLED) out->extras_error = err;
}

static stk_status run(stk_profiler_result *out, stk_profiler_job *job, stk_lint_list *lints,
                      stk_error *err)
{
    const char *command = job->options.command;
    STK_TRY(stk_profiler_train(out, job, err));
    if (command) snprintf(out->profile.run.command, sizeof out->profile.run.command, "%s", command);
    job->extra_seconds = extra_seconds(&job->options, &out->profile);
    measure_extras(out, lints, job);
    stk_profiler_tell(job, STK_PROFILER_DIAGNOSE, 0, 1);
    stk_profiler_save_trace(out, job); /* the profile says how many events it has */
    STK_TRY(stk_diagnose(&out->diagnosis, &out->profile, err));
    stk_lint_add_fixes(lints, &out->diagnosis);
    return stk_profiler_save(out, job, err);
}

stk_status stk_profiler_run(stk_profiler_result *out, const stk_train_recipe *recipe,
                            const stk_train_data *data, const stk_profiler_options *options,
                            stk_error *err)
{
    *out = (stk_profiler_result){0};
    stk_profile_init(&out->profile);
    stk_profiler_job *job = calloc(1, sizeof *job);
    stk_lint_list    *lints = calloc(1, sizeof *lints);
    stk_status        st = STK_OK;
    if (!job || !lints) {
        st = stk_fail(err, STK_E_NOMEM, "profile", NULL, "no memory for a profiler");
    } else {
        if (options) job->options = *options;
        job->begin_ns = stk_clock_ns();
        st = prepare(job, recipe, data, err);
        if (!st) st = run(out, job, lints, err);
        stk_profiler_remove_folders(job);
        stk_train_data_release(&job->read);
    }
    free(lints);
    free(job);
    return st;
}

void stk_profiler_result_release(stk_profiler_result *result)
{
    stk_profile_release(&result->profile);
    stk_trace_free(result->trace);
    result->trace = NULL;
}
