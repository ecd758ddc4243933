/* stoker/tracer.h - selects the part of a run to trace, and writes it. A tracer owns a trace and a
 * low-priority thread that writes files: periodically during the run, so that a killed run leaves a
 * complete file, and at the end. A write failure is logged once; the run continues. */
#ifndef STOKER_TRACER_H
#define STOKER_TRACER_H

#include <stoker/filesystem.h>
#include <stoker/meter.h>

STK_BEGIN_DECLS

enum { STK_TRACER_PATH = 1024 };

/* What to record, and when. */
typedef struct stk_tracer_plan {
    char            path[STK_TRACER_PATH]; /* "": trace.json.gz in the run's folder */
    bool            whole;                 /* writes path */
    int64_t         first_step, last_step; /* range to record, inclusive; -1: all */
    stk_trace_level level;
    double          slow_times;    /* writes steps longer than so many medians; 0: none */
    bool            on_checkpoint; /* writes the steps around a checkpoint */
    bool            cuda_names;    /* as in stk_trace_format */
    bool            nvtx;          /* as in stk_trace_options */
    bool            idle;          /* records nothing before stk_tracer_ask */
} stk_tracer_plan;

/* Parses comma-separated parts: "steps=20-24,level=2", "run.json", "on". STK_E_INVALID names the
 * wrong part and lists the valid ones. */
STK_API STK_NODISCARD stk_status stk_tracer_parse(stk_tracer_plan *plan, const char *text,
                                                  stk_error *err);
/* One row per part for help and docs: "steps=A-B", "...". NULL past the end. */
STK_API const char *stk_tracer_help_at(size_t index, const char **meaning);

typedef struct stk_tracer_options {
    const stk_filesystem *fs;        /* NULL: local */
    const char           *folder;    /* of files without a path of their own; copied */
    const char           *device;    /* name of its row, a literal; NULL: "cpu:0" */
    stk_trace_level       max_level; /* highest level for requests; OFF: any */
    bool                  listen;    /* accepts requests in folder by stk_tracer_write_request */
    /* Receives messages for the user from any thread; NULL drops them. */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_tracer_options;

typedef struct stk_tracer stk_tracer;

/* Starts a tracer. A named file that cannot be created is an error here, not hours later. */
STK_API STK_NODISCARD stk_status stk_tracer_start(stk_tracer **out, const stk_tracer_plan *plan,
                                                  const stk_tracer_options *options,
                                                  stk_error                *err);
/* For the trainer. Owned by the tracer, so free the trainer first. */
STK_API stk_trace *stk_tracer_trace(stk_tracer *tracer);
/* Uses this meter to judge steps from now on; it must outlive the steps. */
STK_API void stk_tracer_follow(stk_tracer *tracer, stk_meter *meter);
/* Call it on the training thread after each step, to start and stop recording. step: of the
 * finished step, from 0. */
STK_API void stk_tracer_step(stk_tracer *tracer, int64_t step);

/* Recording on request: traces the next steps of the run to FOLDER/trace-STEP.json.gz. */
enum { STK_TRACER_STEPS_MAX = 1000 };

typedef struct stk_tracer_request {
    int64_t         steps; /* 1 to STK_TRACER_STEPS_MAX */
    stk_trace_level level;
} stk_tracer_request;

typedef enum stk_tracer_state {
    STK_TRACER_IDLE,      /* no request yet */
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
    char               message[256]; /* reason of a failure */
} stk_tracer_answer;

/* Requests a trace; thread-safe. STK_E_BUSY while steps are recorded or written; STK_E_INVALID and
 * STK_E_UNSUPPORTED for impossible requests. */
STK_API STK_NODISCARD stk_status stk_tracer_ask(stk_tracer               *tracer,
                                                const stk_tracer_request *request, stk_error *err);
/* State of the last request; thread-safe. */
STK_API stk_tracer_answer stk_tracer_asked(stk_tracer *tracer);
/* "waiting", ...: a literal. */
STK_API const char *stk_tracer_state_name(stk_tracer_state state);
/* Appends a JSON object. */
STK_API STK_NODISCARD stk_status stk_tracer_answer_write(const stk_tracer_answer *answer,
                                                         stk_blob *out, stk_error *err);

/* Request from another process: write puts a request into the folder of a run whose tracer listens,
 * under the caller's id (at most 39 letters or digits); read returns its state. STK_E_NOTFOUND: no
 * reply yet. fs NULL: local. */
STK_API STK_NODISCARD stk_status stk_tracer_write_request(const stk_filesystem     *fs,
                                                          const char               *folder,
                                                          const stk_tracer_request *request,
                                                          const char *id, stk_error *err);
STK_API STK_NODISCARD stk_status stk_tracer_read_reply(const stk_filesystem *fs, const char *folder,
                                                       const char *id, stk_tracer_answer *answer,
                                                       stk_error *err);
/* Removes both files; missing ones are fine. */
STK_API void stk_tracer_drop_request(const stk_filesystem *fs, const char *folder, const char *id);

/* Stops recording, writes the rest and logs the files. Returns the first failure of the run. */
STK_API STK_NODISCARD stk_status stk_tracer_finish(stk_tracer *tracer, stk_error *err);
/* NULL is fine. */
STK_API void stk_tracer_free(stk_tracer *tracer);

STK_END_DECLS
#endif
