/* stoker/tracer.h - which part of a run is recorded, and where it is written.
 * A tracer owns a trace and a thread of low priority that writes it to files: now and then while
 * the run goes on, so that a killed run leaves a whole file, and at the end. What it cannot write
 * is told once; the run goes on. */
#ifndef STOKER_TRACER_H
#define STOKER_TRACER_H

#include <stoker/filesystem.h>
#include <stoker/meter.h>

STK_BEGIN_DECLS

enum { STK_TRACER_PATH = 1024 };

/* When and what. */
typedef struct stk_tracer_plan {
    char            path[STK_TRACER_PATH]; /* "": trace.json.gz in the run's folder */
    bool            whole;                 /* that file is written */
    int64_t         first_step, last_step; /* recorded ones, both with; -1: all */
    stk_trace_level level;
    double          slow_times;    /* a step so many medians long is written; 0: none is */
    bool            on_checkpoint; /* the steps around a checkpoint are written */
    bool            cuda_names;    /* as in stk_trace_format */
    bool            nvtx;          /* as in stk_trace_options */
} stk_tracer_plan;

/* From parts separated by commas: "steps=20-24,level=2", "run.json", "on". STK_E_INVALID names the
 * part, and what there is. */
STK_API STK_NODISCARD stk_status stk_tracer_parse(stk_tracer_plan *plan, const char *text,
                                                  stk_error *err);
/* One row a part for help and docs: "steps=A-B", "...". NULL past the end. */
STK_API const char *stk_tracer_help_at(size_t index, const char **meaning);

typedef struct stk_tracer_options {
    const stk_filesystem *fs;     /* NULL: local */
    const char           *folder; /* for files without a name of their own; copied */
    const char           *device; /* its row's name; a literal; NULL: "cpu:0" */
    /* Lines for people, from any thread; NULL: dropped. */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_tracer_options;

typedef struct stk_tracer stk_tracer;

/* A named file that cannot be made is an error now, not after hours. */
STK_API STK_NODISCARD stk_status stk_tracer_start(stk_tracer **out, const stk_tracer_plan *plan,
                                                  const stk_tracer_options *options,
                                                  stk_error                *err);
/* For the trainer; the tracer's own, so free the trainer first. */
STK_API stk_trace *stk_tracer_trace(stk_tracer *tracer);
/* Steps are judged by this meter from now on; it must outlive the steps. */
STK_API void stk_tracer_follow(stk_tracer *tracer, stk_meter *meter);
/* On the training thread, after each step: begins and ends recording. The number is of the step
 * that is done, from 0. */
STK_API void stk_tracer_step(stk_tracer *tracer, int64_t step);
/* Writes what is not written yet and tells of the files; nothing is recorded any more. Gives the
 * first failure there was. */
STK_API STK_NODISCARD stk_status stk_tracer_finish(stk_tracer *tracer, stk_error *err);
/* NULL is fine. */
STK_API void stk_tracer_free(stk_tracer *tracer);

STK_END_DECLS
#endif
