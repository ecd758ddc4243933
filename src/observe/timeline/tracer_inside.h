/* State shared by planned recording and recording on request. */
#ifndef STK_OBSERVE_TIMELINE_TRACER_INSIDE_H
#define STK_OBSERVE_TIMELINE_TRACER_INSIDE_H

#include "base/ring.h"
#include "base/threads.h"
#include "observe/timeline/slow_step.h"

#include <pthread.h>
#include <stoker/trace_file.h>
#include <stoker/tracer.h>

enum {
    STK_TRACER_BEFORE = 10, /* steps in a slow step's file */
    STK_TRACER_AFTER = 3,
    STK_TRACER_JOBS = 4,
    STK_TRACER_ID = 40
};

typedef enum stk_tracer_cause {
    STK_TRACER_SLOW_STEP,
    STK_TRACER_CHECKPOINT,
    STK_TRACER_CAUSES
} stk_tracer_cause;

/* A requested file: some steps. */
typedef struct stk_tracer_job {
    char     path[STK_TRACER_PATH + 64];
    uint64_t since;
    int64_t  due;   /* written after this step */
    bool     asked; /* requested by a user, who gets a reply */
} stk_tracer_job;

/* Recording on request during the run (tracer_ask.c). */
typedef struct stk_tracer_ask_state {
    pthread_mutex_t   lock; /* protects the following fields */
    stk_tracer_answer answer;
    int64_t           last_step; /* the last one to record */
    uint64_t          since;
    char              id[STK_TRACER_ID]; /* of the request's file; "": requested in-process */
    stk_tracer_state  reported;          /* last state written to the reply file */
} stk_tracer_ask_state;

struct stk_tracer {
    stk_tracer_plan      plan;
    stk_tracer_options   options;
    char                 folder[STK_TRACER_PATH];
    char                 path[STK_TRACER_PATH + 32]; /* of the complete file */
    stk_trace           *trace;
    stk_thread           thread;
    stk_eventcount       gate;
    bool                 has_gate, has_ask;
    stk_ring            *jobs;
    int                  stopping; /* atomic */
    int                  hurry;    /* atomic: the complete file has all steps and must be written */
    stk_tracer_ask_state ask;

    /* Owned by the training thread. */
    stk_meter    *meter;
    stk_slow_step slow;
    int64_t       seen;                     /* the last step examined */
    uint64_t begins[STK_TRACER_BEFORE + 2]; /* begins of the last steps: a ring of stk_trace_now */
    uint64_t step_count;                    /* steps reported so far */
    stk_tracer_job *pending;                /* waits for the steps after it */
    int             files[STK_TRACER_CAUSES];

    /* Owned by the writer; by the training thread after the writer's end. */
    uint64_t          written_events; /* in the last complete file */
    stk_trace_written written;
    stk_error         failure; /* the first one; STK_OK: none */
};

void stk_tracer_log(const stk_tracer *t, const char *format, ...) STK_PRINTF(2, 3);

/* tracer_ask.c */
STK_NODISCARD stk_status stk_tracer_ask_start(stk_tracer *t, stk_error *err);
void                     stk_tracer_ask_end(stk_tracer *t);
/* On the training thread: the level that a request sets for the next step. */
stk_trace_level stk_tracer_ask_step(stk_tracer *t, int64_t step);
/* After the last step: no more events will be recorded. */
void stk_tracer_ask_finish(stk_tracer *t);
/* On the writer's thread: the file is written, or (written NULL) why it failed. */
void stk_tracer_ask_written(stk_tracer *t, const stk_trace_written *written, const stk_error *why);
/* Polls the folder for a request, and writes the state of the last one. */
void stk_tracer_ask_listen(stk_tracer *t);
void stk_tracer_ask_reply(stk_tracer *t);

#endif
