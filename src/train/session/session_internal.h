/* The inside of a session: what its parts share. */
#ifndef STK_TRAIN_SESSION_SESSION_INTERNAL_H
#define STK_TRAIN_SESSION_SESSION_INTERNAL_H

#include "train/session/graphs.h"
#include "train/session/session.h"

enum { STK_SESSION_PROGRAMS = 128, STK_SESSION_SLOTS = STK_STEPS_IN_FLIGHT_MAX + 1 };

typedef struct stk_session_program_row {
    int64_t      size;
    bool         evaluates;
    bool         frozen; /* a step of training after frozen_from */
    stk_program *program;
} stk_session_program_row;

/* A step whose result is on its way. */
typedef struct stk_session_pending {
    int64_t step;
    bool    guarded, measured;
} stk_session_pending;

struct stk_session {
    const stk_train_recipe *recipe;
    stk_graphs              graphs;
    float                  *class_weights; /* NULL: all count alike */
    bool                    trains;
    unsigned                passes_off; /* stk_graph_pass */
    stk_blob               *explain;    /* NULL: not wanted */
    stk_faults             *faults;     /* NULL: none */
    stk_device             *device;
    stk_variables          *variables;
    stk_session_program_row programs[STK_SESSION_PROGRAMS];
    size_t                  program_count;
    double                  frozen_from; /* a share of training; 0: all steps are alike */
    stk_program            *update;      /* of accumulated gradients; NULL without */
    stk_program            *lookahead;   /* NULL without */
    stk_fetch_queue        *queue;       /* results of steps; NULL: none yet */
    stk_session_pending     pending[STK_SESSION_SLOTS];
    uint64_t                enqueued_count, done_count;
    uint8_t                *rows; /* a batch that is filled up */
    int64_t                *labels;
    size_t                  row_bytes; /* that rows has room for, in all */
};

/* What is on its way to the device goes there, when a program made room for it. */
STK_NODISCARD stk_status stk_session_upload_resident(stk_session *session, stk_error *err);
/* NULL: not compiled. */
stk_program *stk_session_find(const stk_session *session, int64_t size, bool evaluates);
/* What this step is done with. */
stk_program *stk_session_find_step(const stk_session *session, const stk_instruction_input *input);

#endif
