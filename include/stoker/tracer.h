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
    bool            idle;          /* nothing is recorded before stk_tracer_ask */
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
    stk_trace_level       most;   /* that can be asked for; OFF: any */
    bool                  listen; /* to requests in folder, by stk_tracer_write_request */
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

/* Recording on request, while the run goes on: its next steps go to FOLDER/trace-STEP.json.gz. */
enum { STK_TRACER_STEPS_MAX = 1000 };

typedef struct stk_tracer_request {
    int64_t         steps; /* 1 to STK_TRACER_STEPS_MAX */
    stk_trace_level level;
} stk_tracer_request;

typedef enum stk_tracer_state {
    STK_TRACER_IDLE,      /* nothing was asked for yet */
    STK_TRACER_WAITING,   /* for the next step */
    STK_TRACER_RECORDING, /* steps */
    STK_TRACER_WRITING,
    STK_TRACER_DONE,
    STK_TRACER_FAILED
} stk_tracer_state;

typedef struct stk_tracer_answer {
    stk_tracer_state   state;
    stk_tracer_request request;
    int64_t            first_step; /* from 0; -1: not known yet */
    char               path[STK_TRACER_PATH + 64];
    uint64_t           events;
    char               message[256]; /* why it failed */
} stk_tracer_answer;

/* From any thread. STK_E_BUSY while steps are recorded or written, STK_E_INVALID and
 * STK_E_UNSUPPORTED for what cannot be. */
STK_API STK_NODISCARD stk_status stk_tracer_ask(stk_tracer               *tracer,
                                                const stk_tracer_request *request, stk_error *err);
/* What became of the last request; from any thread. */
STK_API stk_tracer_answer stk_tracer_asked(stk_tracer *tracer);
/* "waiting", ...: a literal. */
STK_API const char *stk_tracer_state_name(stk_tracer_state state);
/* Appends an answer as one JSON object. */
STK_API STK_NODISCARD stk_status stk_tracer_answer_write(const stk_tracer_answer *answer,
                                                         stk_blob *out, stk_error *err);

/* From another process: leaves a request in the folder of a run whose tracer listens, under an id
 * of the caller's (39 letters or digits at most); and reads what became of it. STK_E_NOTFOUND:
 * nothing yet. fs NULL: local. */
STK_API STK_NODISCARD stk_status stk_tracer_write_request(const stk_filesystem     *fs,
                                                          const char               *folder,
                                                          const stk_tracer_request *request,
                                                          const char *id, stk_error *err);
STK_API STK_NODISCARD stk_status stk_tracer_read_reply(const stk_filesystem *fs, const char *folder,
                                                       const char *id, stk_tracer_answer *answer,
                                                       stk_error *err);
/* Takes both files away; that there are none is fine. */
STK_API void stk_tracer_drop_request(const stk_filesystem *fs, const char *folder, const char *id);

/* Writes what is not written yet and tells of the files; nothing is recorded any more. Gives the
 * first failure there was. */
STK_API STK_NODISCARD stk_status stk_tracer_finish(stk_tracer *tracer, stk_error *err);
/* NULL is fine. */
STK_API void stk_tracer_free(stk_tracer *tracer);

STK_END_DECLS
#endif
