/* A model on a device: its variables, and one compiled program per use and image size. */
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

/* recipe must be resolved and outlive the session. trains: compiles gradients and optimiser.
 * Compilation stops soon after cancel (may be NULL) is set. */
STK_NODISCARD stk_status stk_session_open(stk_session **out, const stk_train_recipe *recipe,
                                          bool trains, const stk_cancel *cancel, stk_error *err);
void                     stk_session_free(stk_session *session);
stk_variables           *stk_session_variables(stk_session *session);
stk_device              *stk_session_device(stk_session *session);
const stk_freeze        *stk_session_freeze(const stk_session *session);

/* Loads all images to the device if data.resident is on, or is auto and they fit: the training
 * images and, if there are any, the validation images. Call it before the first program is
 * compiled. The decision is logged. options: as for a training loader. */
STK_NODISCARD stk_status stk_session_make_resident(stk_session              *session,
                                                   const stk_loader_options *options,
                                                   stk_error                *err);
/* NULL: not resident. */
const stk_resident *stk_session_resident(const stk_session *session, bool evaluate);
/* Frees the host copies of images that the device holds. */
void stk_session_drop_copies(stk_session *session);

/* Applies the recipe's class weights to the loss. Call it before the first program is compiled. */
STK_NODISCARD stk_status stk_session_weigh(stk_session *session, const stk_train_data *data,
                                           stk_error *err);
/* Injects faults into steps. Call it before the first program is compiled; faults must outlive the
 * programs. */
void              stk_session_inject(stk_session *session, stk_faults *faults);
const stk_inject *stk_session_injected(const stk_session *session); /* NULL: no faults */

/* Programs compiled from now on append their graph after each pass to text and allocate no run-time
 * memory. text must outlive them. NULL ends this. */
void stk_session_explain(stk_session *session, stk_blob *text);

/* Compiles the training programs of this size unless they are compiled. */
STK_NODISCARD stk_status stk_session_ready(stk_session *session, int64_t size, stk_error *err);
/* Compiles the evaluation program of this size unless it is compiled. */
STK_NODISCARD stk_status stk_session_ready_evaluate(stk_session *session, int64_t size,
                                                    stk_error *err);

/* Plans the memory of a step with the recipe's batch (evaluates: of its eval_batch, forward pass
 * alone). The recipe's batch may change between calls. Keeps only the variables. */
STK_NODISCARD stk_status stk_session_plan(stk_session *session, int64_t size, bool evaluates,
                                          stk_memory_plan *out, stk_error *err);

/* Sums since the last clear. */
typedef struct stk_metrics {
    float loss, correct, top5, count; /* loss: over images, in evaluation only */
} stk_metrics;

/* Upper bound of steps in flight while the next one is prepared. */
enum { STK_STEPS_IN_FLIGHT_MAX = 2 };

/* Arguments of a step. */
typedef struct stk_instruction_input {
    int64_t             size, step; /* step of the run: seeds dropout */
    stk_hyperparameters now;
    bool                update;    /* false: only accumulates gradients */
    bool                lookahead; /* run lookahead after the update */
    bool                measure; /* the result includes the training sums, which are then cleared */
    stk_meter          *meter;   /* gets S3, S4 and S6; NULL: none */
} stk_instruction_input;

typedef struct stk_instruction_result {
    int64_t     step;
    float       loss;
    bool        skipped; /* gradients were not finite; no variable changed */
    bool        measured;
    stk_metrics metrics;   /* valid if measured */
    uint64_t    device_ns; /* device time; 0: not known, the call was synchronous */
} stk_instruction_result;

/* Enqueues one step. Its result must be taken before STK_STEPS_IN_FLIGHT_MAX more are enqueued.
 * batch has the recipe's rows and must not change until then. */
STK_NODISCARD stk_status stk_session_step(stk_session *session, const stk_loader_batch *batch,
                                          const stk_instruction_input *input,
                                          stk_trace_thread *thread, stk_error *err);
/* Initialises the slow copies of lookahead, before the first step; no-op without it. */
STK_NODISCARD stk_status stk_session_begin(stk_session *session, stk_error *err);
/* Waits for the oldest step whose result was not taken; there must be one. The wait is S4 of meter
 * (NULL: none). */
STK_NODISCARD stk_status stk_session_result(stk_session *session, stk_meter *meter,
                                            stk_instruction_result *result, stk_error *err);
size_t                   stk_session_under_way(const stk_session *session);
/* How many steps may be in flight while the next one is prepared. 0 on a synchronous device or if
 * the recipe says so. */
int stk_session_steps_in_flight(const stk_session *session);
/* Waits for the steps in flight and drops their results. NULL is fine. */
void stk_session_drain(stk_session *session);
/* Repeats the last step (or evaluation, of a session that does not train) with the inputs it was
 * fed, back to back. Waits for the last one. */
STK_NODISCARD stk_status stk_session_repeat(stk_session *session, int64_t size, int64_t times,
                                            stk_error *err);
/* Runs the batch again, operation by operation; err names the first result that is not finite.
 * STK_OK if all are finite. Variables do not change. */
STK_NODISCARD stk_status stk_session_find_not_finite(stk_session                 *session,
                                                     const stk_loader_batch      *batch,
                                                     const stk_instruction_input *input,
                                                     stk_error                   *err);

/* Waits for all steps. */
STK_NODISCARD stk_status stk_session_metrics(stk_session *session, bool evaluate, bool clear,
                                             stk_metrics *out, stk_error *err);
/* Clears the sums after all enqueued steps, without waiting. */
void stk_session_clear_metrics(stk_session *session, bool evaluate);
/* Restores sums from a checkpoint. */
STK_NODISCARD stk_status stk_session_set_metrics(stk_session *session, const stk_metrics *metrics,
                                                 stk_error *err);

/* Evaluates a batch of up to eval_batch rows and adds to the metrics. logits (may be NULL) has
 * capacity for eval_batch x classes. */
STK_NODISCARD stk_status stk_session_evaluate(stk_session *session, const stk_loader_batch *batch,
                                              int64_t size, float *logits, stk_error *err);

/* The images of a batch to show. */
typedef struct stk_show {
    int64_t fed, rows; /* rows computed (mixing needs all of them); rows shown, from the first */
    int64_t size;
    bool    evaluate; /* evaluation images */
} stk_show;

/* Writes the first images of a batch as the network sees them, before normalisation: uint8
 * [rows,size,size,channels]. Waits for the device if edits make the images. */
STK_NODISCARD stk_status stk_session_show(stk_session *session, const stk_loader_batch *batch,
                                          const stk_show *how, uint8_t *out, stk_error *err);
/* Bytes of one image of this size. */
size_t stk_session_image_bytes(const stk_session *session, int64_t size);

/* Memory plan of the training program of this size (of the evaluation program, if the session does
 * not train). */
stk_memory_plan stk_session_memory(const stk_session *session, int64_t size);
stk_program    *stk_session_program(const stk_session *session, int64_t size);
/* "ema." if the evaluated weights are an average, else "". */
const char *stk_session_prefix(const stk_session *session);

#endif
