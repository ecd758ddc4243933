/* State shared by the files of a session. */
#ifndef STK_TRAIN_SESSION_SESSION_INTERNAL_H
#define STK_TRAIN_SESSION_SESSION_INTERNAL_H

#include "train/session/graphs.h"
#include "train/session/session.h"

enum { STK_SESSION_PROGRAMS = 128, STK_SESSION_SLOTS = STK_STEPS_IN_FLIGHT_MAX + 1 };

/* What steps feed and fetch, found once when a program is compiled; SIZE_MAX: it has none. */
typedef enum stk_session_input {
    STK_SESSION_IMAGE,
    STK_SESSION_EDITS,
    STK_SESSION_LABEL,
    STK_SESSION_STEP,
    STK_SESSION_HYPER,
    STK_SESSION_INPUTS
} stk_session_input;

typedef struct stk_session_ports {
    size_t input[STK_SESSION_INPUTS];
    size_t loss, guard; /* outputs */
} stk_session_ports;

typedef struct stk_session_program_row {
    int64_t           size;
    bool              evaluates;
    bool              frozen; /* runs from frozen_from on */
    stk_program      *program;
    stk_session_ports ports;
} stk_session_program_row;

/* An enqueued step whose result was not taken. */
typedef struct stk_session_pending {
    int64_t step;
    bool    guarded, measured;
} stk_session_pending;

struct stk_session {
    const stk_train_recipe *recipe;
    stk_graphs              graphs;
    float                  *class_weights; /* NULL: all 1 */
    bool                    trains;
    unsigned                passes_off; /* stk_graph_pass */
    stk_blob               *explain;    /* NULL: no explanation */
    stk_faults             *faults;     /* NULL: none */
    stk_device             *device;
    stk_variables          *variables;
    stk_session_program_row programs[STK_SESSION_PROGRAMS];
    size_t                  program_count;
    double                  frozen_from; /* fraction of training; 0: never */
    stk_program            *update;      /* of accumulated gradients; or NULL */
    stk_program            *lookahead;   /* or NULL */
    stk_session_ports       update_ports, lookahead_ports;
    size_t                  metrics[4]; /* variables of training sums; SIZE_MAX: none */
    stk_fetch_queue        *queue;      /* results of steps; NULL: none yet */
    stk_session_pending     pending[STK_SESSION_SLOTS];
    uint64_t                enqueued_count, done_count;
    uint8_t                *rows; /* a padded batch */
    int64_t                *labels;
    size_t                  row_bytes; /* capacity of rows */
};

/* Uploads resident images once a compiled program has allocated their variables. No-op before
 * that. */
STK_NODISCARD stk_status stk_session_upload_resident(stk_session *session, stk_error *err);
/* NULL: not compiled. */
stk_program *stk_session_find(const stk_session *session, int64_t size, bool evaluates);
/* The program that runs this step, with its ports. */
const stk_session_program_row *stk_session_find_step(const stk_session           *session,
                                                     const stk_instruction_input *input);
stk_session_ports              stk_session_bind(const stk_program *program);

#endif
