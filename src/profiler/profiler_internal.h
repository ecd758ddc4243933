/* Parts of a run of the profiler. */
#ifndef STK_PROFILER_PROFILER_INTERNAL_H
#define STK_PROFILER_PROFILER_INTERNAL_H

#include <stoker/profiler.h>
#include <stoker/train_bench.h>

enum { STK_PROFILER_PATH = STK_TRAIN_PATH };

/* What is trained and measured. */
typedef struct stk_profiler_job {
    stk_train_recipe     recipe; /* resolved */
    stk_train_data       data;   /* borrowed, but for what was read here */
    stk_train_data       read;   /* owned; all zero: the caller's are used */
    stk_profiler_options options;
    uint64_t             begin_ns; /* of the call */
    double               extra_seconds;
    char                 folder[STK_PROFILER_PATH];    /* of the files; "": none */
    char                 temporary[STK_PROFILER_PATH]; /* removed at the end; "": none */
} stk_profiler_job;

/* Tells the progress callback, if there is one. */
void stk_profiler_tell(const stk_profiler_job *job, stk_profiler_part part, int64_t steps,
                       double fraction);

/* profiler_folder.c: chooses and makes the folders of a job; those of the run are in its recipe. */
STK_NODISCARD stk_status stk_profiler_make_folders(stk_profiler_job *job, stk_error *err);
/* Removes what is temporary. */
void stk_profiler_remove_folders(const stk_profiler_job *job);

/* measured_run.c: warm-up, the measured part, traced steps. Fills profile, trace, interrupted. */
STK_NODISCARD stk_status stk_profiler_train(stk_profiler_result *out, stk_profiler_job *job,
                                            stk_error *err);

/* extras.c: fills ops, batches, overhead, limits and largest_batch of the profile in about
 * job->extra_seconds, and lints (which begin as zeros). On failure the rest is good without. */
STK_NODISCARD stk_status stk_profiler_measure_extras(stk_profile *profile, stk_lint_list *lints,
                                                     const stk_profiler_job *job, stk_error *err);

/* observing_cost.c: fills overhead of levels 0 (the meter) to 2 (operations) in about seconds.
 * trace is the bench's own. */
STK_NODISCARD stk_status stk_profiler_measure_observing(stk_profile     *profile,
                                                        stk_train_bench *bench, stk_trace *trace,
                                                        double seconds, const stk_cancel *cancel,
                                                        stk_error *err);

/* profiler_files.c: the files of a result; what is optional fails into trace_error, page_error. */
void stk_profiler_save_trace(stk_profiler_result *result, const stk_profiler_job *job);
STK_NODISCARD stk_status stk_profiler_save(stk_profiler_result *result, const stk_profiler_job *job,
                                           stk_error *err);

#endif
