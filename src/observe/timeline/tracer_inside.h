/* The inside of a tracer: what planned recording and recording on request share. */
#ifndef STK_OBSERVE_TIMELINE_TRACER_INSIDE_H
#define STK_OBSERVE_TIMELINE_TRACER_INSIDE_H

#include "base/ring.h"
#include "base/threads.h"
#include "observe/timeline/slow_step.h"

#include <pthread.h>
#include <stoker/trace_file.h>
#include <stoker/tracer.h>

enum {
    STK_TRACER_BEFORE = 10, /* steps in a file of a slow step */
    STK_TRACER_AFTER = 3,
    STK_TRACER_JOBS = 4,
    STK_TRACER_ID = 40
};

typedef enum stk_tracer_cause {
    STK_TRACER_SLOW_STEP,
    STK_TRACER_CHECKPOINT,
    STK_TRACER_CAUSES
} stk_tracer_cause;

/* A file that is asked for: some steps. */
typedef struct stk_tracer_job {
    char     path[STK_TRACER_PATH + 64];
    uint64_t since;
    int64_t  due;   /* the step after which it is written */
    bool     asked; /* by a person, who is told */
} stk_tracer_job;

/* Recording that was asked for while the run goes on (tracer_ask.c). */
typedef struct stk_tracer_ask_state {
    pthread_mutex_t   lock; /* of what follows: held for copies */
    stk_tracer_answer answer;
    int64_t           last_step; /* of those recorded */
    uint64_t          since;
    char              id[STK_TRACER_ID]; /* of the request's file; "": it came otherwise */
    stk_tracer_state  reported;          /* that the reply's file has */
} stk_tracer_ask_state;

struct stk_tracer {
    stk_tracer_plan      plan;
    stk_tracer_options   options;
    char                 folder[STK_TRACER_PATH];
    char                 path[STK_TRACER_PATH + 32]; /* of the whole file */
    stk_trace           *trace;
    stk_thread           thread;
    stk_eventcount       gate;
    bool                 has_gate, has_ask;
    stk_ring            *jobs;
    int                  stopping; /* atomic */
    int                  hurry;    /* atomic: the whole file is complete, and to be written */
    stk_tracer_ask_state ask;

    /* The training thread's. */
    stk_meter      *meter;
    stk_slow_step   slow;
    int64_t         seen;                          /* the last step that was judged */
    uint64_t        begins[STK_TRACER_BEFORE + 2]; /* of the last steps: a ring of stk_trace_now */
    uint64_t        step_count;                    /* steps told so far */
    stk_tracer_job *pending;                       /* waits for the steps after it */
    int             files[STK_TRACER_CAUSES];

    /* The writer's, and the training thread's after its end. */
    uint64_t          written_events; /* as of the last whole file */
    stk_trace_written written;
    stk_error         failure; /* the first; status STK_OK: none */
};

void stk_tracer_log(const stk_tracer *t, const char *format, ...) STK_PRINTF(2, 3);

/* tracer_ask.c */
STK_NODISCARD stk_status stk_tracer_ask_start(stk_tracer *t, stk_error *err);
void                     stk_tracer_ask_end(stk_tracer *t);
/* On the training thread: the level that the step after this one is recorded at by request. */
stk_trace_level stk_tracer_ask_step(stk_tracer *t, int64_t step);
/* After the last step: what was recorded so far is all there will be. */
void stk_tracer_ask_finish(stk_tracer *t);
/* On the writer's thread: the file is there, or (NULL) why not. */
void stk_tracer_ask_written(stk_tracer *t, const stk_trace_written *written, const stk_error *why);
/* Looks for a request in the folder, and writes what became of the last. */
void stk_tracer_ask_listen(stk_tracer *t);
void stk_tracer_ask_reply(stk_tracer *t);

#endif
