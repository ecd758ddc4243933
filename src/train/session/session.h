/* A model on a device: its variables, and a program for each use and image size. */
#ifndef STK_TRAIN_SESSION_SESSION_H
#define STK_TRAIN_SESSION_SESSION_H

#include "train/faults/faults.h"
#include "train/input/loader.h"
#include "train/optimizer/freeze.h"
#include <stoker/meter.h>
#include <stoker/models.h>
#include <stoker/optimizer.h>
#include <stoker/program.h>

typedef struct stk_session stk_session;

/* recipe must be settled and outlive the session. trains: with gradients and optimiser. Compiling
 * ends soon after cancel (NULL: none) is set. */
STK_NODISCARD stk_status stk_session_open(stk_session **out, const stk_train_recipe *recipe,
                                          bool trains, const stk_cancel *cancel, stk_error *err);
void                     stk_session_free(stk_session *session);
stk_variables           *stk_session_variables(stk_session *session);
stk_device              *stk_session_device(stk_session *session);
const stk_freeze        *stk_session_freeze(const stk_session *session);

/* Keeps all images on the device where the recipe's data.resident is on, or auto and it can be
 * done: reads those to train on and (data has some) to evaluate on. Called before the first program
 * is compiled; what was decided is logged. options: as of a feed to train. */
STK_NODISCARD stk_status stk_session_make_resident(stk_session              *session,
                                                   const stk_loader_options *options,
                                                   stk_error                *err);
/* NULL: not on the device. */
const stk_resident *stk_session_resident(const stk_session *session, bool evaluate);
/* Those that the device has are no longer needed on the host. */
void stk_session_drop_copies(stk_session *session);

/* Classes count in the loss as the recipe says: told before the first program is compiled. */
STK_NODISCARD stk_status stk_session_weigh(stk_session *session, const stk_train_data *data,
                                           stk_error *err);
/* Steps have these faults: told before the first program is compiled; they must outlive it. */
void              stk_session_inject(stk_session *session, stk_faults *faults);
const stk_inject *stk_session_injected(const stk_session *session); /* NULL: no faults */

/* Programs that are compiled from here on append their graph after each pass to text, which must
 * outlive them, and take no memory to run in; NULL: no more. */
void stk_session_explain(stk_session *session, stk_blob *text);

/* Compiles the programs for this size, if they are not there yet. */
STK_NODISCARD stk_status stk_session_ready(stk_session *session, int64_t size, stk_error *err);
/* Compiles the program that evaluates, likewise. */
STK_NODISCARD stk_status stk_session_ready_evaluate(stk_session *session, int64_t size,
                                                    stk_error *err);

/* What a step of the recipe's batch would take (evaluates: of its eval_batch, forward alone). The
 * recipe may have another batch at each call. Nothing is kept but the variables. */
STK_NODISCARD stk_status stk_session_plan(stk_session *session, int64_t size, bool evaluates,
                                          stk_memory_plan *out, stk_error *err);

/* Sums since they were last cleared. */
typedef struct stk_metrics {
    float loss, correct, top5, count; /* loss: of every image; evaluation's only */
} stk_metrics;

/* Steps that may be under way while the next one is made ready. */
enum { STK_STEPS_IN_FLIGHT_MAX = 2 };

/* What a step is done with. */
typedef struct stk_instruction_input {
    int64_t             size, step; /* step of the run: the random numbers of dropout */
    stk_hyperparameters now;
    bool                update;    /* false: gradients are added up only (accumulation) */
    bool                lookahead; /* after the update */
    bool                measure;   /* its result has the sums of training, which begin anew */
    stk_meter          *meter;     /* is told of S3, S4 and S6; NULL: none */
} stk_instruction_input;

typedef struct stk_instruction_result {
    int64_t     step;
    float       loss;
    bool        skipped; /* gradients were not finite; nothing was changed */
    bool        measured;
    stk_metrics metrics;   /* where it was */
    uint64_t    device_ns; /* that the device took; 0: not known, the caller waited */
} stk_instruction_result;

/* Begins one step; its result is to be asked for before STK_STEPS_IN_FLIGHT_MAX more are begun. The
 * batch has the recipe's rows and stays as it is until the result is there. */
STK_NODISCARD stk_status stk_session_step(stk_session *session, const stk_loader_batch *batch,
                                          const stk_instruction_input *input,
                                          stk_trace_thread *thread, stk_error *err);
/* Makes the slow copies of lookahead, before the first step; nothing without it. */
STK_NODISCARD stk_status stk_session_begin(stk_session *session, stk_error *err);
/* Of the oldest step whose result was not asked for, of which there must be one; waits for it, in
 * S4 of meter (NULL: none). */
STK_NODISCARD stk_status stk_session_result(stk_session *session, stk_meter *meter,
                                            stk_instruction_result *result, stk_error *err);
size_t                   stk_session_under_way(const stk_session *session);
/* How many may stay under way when the next step is made ready: 0 where the device works in the
 * caller's time, or where the recipe wants it. */
int stk_session_steps_in_flight(const stk_session *session);
/* Waits for what is under way and drops the results. NULL is fine. */
void stk_session_drain(stk_session *session);
/* The step before (or the evaluation, of a session that does not train) again so many times with
 * what was fed for it, one right after the other; waits for the last. */
STK_NODISCARD stk_status stk_session_repeat(stk_session *session, int64_t size, int64_t times,
                                            stk_error *err);
/* Runs the same batch again, operation by operation, and names the first result that is not finite:
 * err says which. STK_OK when all are finite. Variables do not change. */
STK_NODISCARD stk_status stk_session_find_not_finite(stk_session                 *session,
                                                     const stk_loader_batch      *batch,
                                                     const stk_instruction_input *input,
                                                     stk_error                   *err);

/* Waits for all steps. */
STK_NODISCARD stk_status stk_session_metrics(stk_session *session, bool evaluate, bool clear,
                                             stk_metrics *out, stk_error *err);
/* They begin anew, after all steps that were begun; waits for nothing. */
void stk_session_clear_metrics(stk_session *session, bool evaluate);
/* Puts sums back, as a checkpoint kept them. */
STK_NODISCARD stk_status stk_session_set_metrics(stk_session *session, const stk_metrics *metrics,
                                                 stk_error *err);

/* Evaluates one batch of up to the recipe's eval_batch rows; sums go to the metrics. logits (NULL:
 * not wanted) has room for eval_batch x classes. */
STK_NODISCARD stk_status stk_session_evaluate(stk_session *session, const stk_loader_batch *batch,
                                              int64_t size, float *logits, stk_error *err);

/* Which images of a batch are shown. */
typedef struct stk_show {
    int64_t fed, rows; /* rows that are computed: those that are mixed need all; the first, shown */
    int64_t size;
    bool    evaluate; /* they are some to evaluate on */
} stk_show;

/* The first images of a batch as the network sees them, but for its normalisation: out gets uint8
 * [rows,size,size,channels]. Where edits make them the device is waited for. */
STK_NODISCARD stk_status stk_session_show(stk_session *session, const stk_loader_batch *batch,
                                          const stk_show *how, uint8_t *out, stk_error *err);
/* Of an image of this size. */
size_t stk_session_image_bytes(const stk_session *session, int64_t size);

/* Of the training program of this size (or the evaluating one of a session that does not train). */
stk_memory_plan stk_session_memory(const stk_session *session, int64_t size);
stk_program    *stk_session_program(const stk_session *session, int64_t size);
/* "ema." when an average is kept and evaluated, else "". */
const char *stk_session_prefix(const stk_session *session);

#endif
