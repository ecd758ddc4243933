/* The files of a profile. */
#include "profiler/profiler_internal.h"

#include <stdio.h>
#include <stoker/report.h>
#include <stoker/trace_file.h>

enum { PATH_BYTES = STK_PROFILER_PATH + 32 };

static const char trace_name[] = "trace.json.gz";

static const char *path_of(const stk_profiler_job *job, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", job->folder, name);
    return path;
}

void stk_profiler_save_trace(stk_profiler_result *result, const stk_profiler_job *job)
{
    stk_profile           *p = &result->profile;
    const bool             known = p->limits.flops > 0 && p->limits.memory_bytes > 0;
    stk_trace_file_options how = {.format.peaks = known ? &p->limits : NULL,
                                  .resources = p->resources,
                                  .resource_count = p->resource_count};
    stk_trace_written      written;
    stk_error              err;
    char                   path[PATH_BYTES];
    if (!*job->folder || !result->trace) return;
    if (stk_trace_write(result->trace, NULL, path_of(job, trace_name, path), &how, &written,
                        &err)) {
        result->trace_error = err;
        return;
    }
    p->trace_events = (double)written.events;
    p->trace_dropped = (double)written.dropped;
}

static stk_status save_page(const stk_profiler_result *result, const stk_profiler_job *job,
                            stk_error *err)
{
    const bool    traced = result->trace && !result->trace_error.status;
    stk_timeline *timeline = NULL;
    char          path[PATH_BYTES];
    if (result->trace) STK_TRY(stk_timeline_of_trace(&timeline, result->trace, 0, err));
    const stk_report_options how = {.timeline = timeline, .trace_path = traced ? trace_name : NULL};
    const stk_status         st = stk_report_save(&result->profile, &result->diagnosis, &how,
                                                  path_of(job, "report.html", path), err);
    stk_timeline_free(timeline);
    return st;
}

stk_status stk_profiler_save(stk_profiler_result *result, const stk_profiler_job *job,
                             stk_error *err)
{
    stk_error page;
    char      path[PATH_BYTES];
    if (!*job->folder) return STK_OK;
    STK_TRY(stk_profile_save(&result->profile, path_of(job, "profile.json", path), err));
    STK_TRY(stk_diagnosis_save(&result->diagnosis, path_of(job, "diagnosis.json", path), err));
    if (!job->options.no_page && save_page(result, job, &page)) result->page_error = page;
    return STK_OK;
}
