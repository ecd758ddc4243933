/* State shared by the files of a trainer. */
#ifndef STK_TRAIN_LOOP_TRAINER_INTERNAL_H
#define STK_TRAIN_LOOP_TRAINER_INTERNAL_H

#include "train/checkpoint/checkpoint.h"
#include "train/loop/callbacks.h"
#include "train/loop/outputs.h"
#include "train/loop/pace.h"
#include "train/loop/samples.h"
#include "train/loop/startup.h"
#include "train/loop/step_sums.h"
#include "train/profile/observer.h"
#include "train/resolve/epoch_plan.h"
#include "train/session/session.h"
#include <pthread.h>
#include <stoker/schedule.h>

enum { STK_TRAINER_CALLBACKS = 32 };

/* Work of S7's and S8's threads that the meter has already. */
typedef struct stk_outputs_reported {
    uint64_t callback_ns, file_ns, writer_ns, writer_bytes;
} stk_outputs_reported;

/* An enqueued step without its result. */
typedef struct stk_pending_step {
    int64_t               step, group_step; /* from 1 */
    stk_instruction_input input;
    stk_loader_batch      batch; /* borrowed from the loader */
} stk_pending_step;

enum { STK_TRAINER_SLOTS = STK_STEPS_IN_FLIGHT_MAX + 1 };

struct stk_trainer {
    stk_train_recipe      recipe;
    const stk_train_data *data;
    stk_trainer_options   options; /* its log is replaced by one that takes log_lock */
    void (*log)(void *context, const char *line); /* the caller's; call with log_lock held */
    void                  *log_context;
    pthread_mutex_t        log_lock; /* held only while the caller's log runs */
    stk_epoch_plan         plan;
    stk_faults            *faults; /* injected; NULL: none */
    stk_data_cache        *cache;
    stk_session           *session;
    stk_schedule           schedule;
    stk_lock              *lock;
    stk_samples           *samples;
    stk_outputs            outputs;
    stk_callbacks         *callbacks;
    stk_checkpoint_writer *writer;
    stk_run_state          state; /* step, group, best: as of the last step enqueued */
    stk_pending_step       pending[STK_TRAINER_SLOTS];
    uint64_t               begun_total, done_count;
    stk_loader            *loader; /* of the current epoch group */
    stk_trace_thread      *thread;
    stk_meter             *meter;
    stk_observer          *observer;
    stk_outputs_reported   reported;
    stk_train_progress     progress; /* as of the last result taken */
    stk_train_result      *result;
    bool                   stop;            /* early stopping */
    bool                   samples_failed;  /* a failure was logged */
    int64_t                last_checkpoint; /* last checkpoint written or resumed from */
    int64_t                resumed_step;    /* step of the checkpoint resumed from; 0: none */
    int64_t                lost_in_a_row;   /* consecutive steps without an update */
    uint64_t               last_checkpoint_ns, start_ns;
    uint64_t               device_ns;     /* device time of a step; 0: a synchronous device */
    uint64_t               attributed_ns; /* device time of the results taken during this step */
    uint64_t               since_ns;      /* training time is accounted for until here */
    stk_train_sums         epoch;         /* until the last report */
    stk_pace               pace;
    stk_startup            startup;
    /* Since the last report. */
    stk_train_sums window;
    uint64_t       window_ns, window_wait_ns;
    int64_t        window_steps;
};

/* The epoch group of the current step. */
const stk_epoch_group *stk_trainer_group(const stk_trainer *trainer);

/* Takes the results of all steps in flight, so that state and progress agree. */
STK_NODISCARD stk_status stk_trainer_drain(stk_trainer *trainer, stk_error *err);
/* Estimates the remaining time into progress. */
void stk_trainer_summarize(stk_trainer *trainer);
/* Evaluates the validation data; updates progress and the best accuracy. */
STK_NODISCARD stk_status stk_trainer_evaluate(stk_trainer *trainer, stk_error *err);
/* Hands a checkpoint to the writer. best: also writes the model alone. */
STK_NODISCARD stk_status stk_trainer_checkpoint(stk_trainer *trainer, bool best, stk_error *err);
/* Whether a checkpoint's input position is only a count of batches. */
bool stk_trainer_position_is_count(stk_bytes saved);
/* Logs the first failure of sample images (st not STK_OK); the run continues. */
void stk_trainer_warn_samples(stk_trainer *trainer, stk_status st, const stk_error *why);
/* Whether an evaluation was due after the last step but did not finish. */
bool stk_trainer_owes_evaluation(const stk_trainer *trainer);
/* Rewrites models that a resumed run lacks from its checkpoints (mend.c). At the end, checks that
 * they exist. */
STK_NODISCARD stk_status stk_trainer_mend(stk_trainer *trainer, stk_error *err);
STK_NODISCARD stk_status stk_trainer_check_models(const stk_trainer *trainer, stk_error *err);
/* Finds the last checkpoint and restores it. STK_E_NOTFOUND: none; begin from step 0. */
STK_NODISCARD stk_status stk_trainer_resume(stk_trainer *trainer, stk_error *err);
/* Handles a recipe with other epochs or steps than the run folder's: checks that the run can
 * continue, logs the change and saves it (length.c). Call it after stk_trainer_resume. */
STK_NODISCARD stk_status stk_trainer_change_length(stk_trainer *trainer, stk_error *err);
/* Saves the new path of moved data to the run's recipe. */
STK_NODISCARD stk_status stk_trainer_move_data(stk_trainer *trainer, stk_error *err);
/* The schedule of a recipe over an epoch plan. */
STK_NODISCARD stk_status stk_trainer_schedule(stk_schedule           *schedule,
                                              const stk_train_recipe *recipe,
                                              const stk_epoch_plan *plan, stk_error *err);
/* Initialises the filters of a model that whitens its input; no-op for others. */
STK_NODISCARD stk_status stk_trainer_whiten(stk_trainer *trainer, stk_error *err);
/* Starts observation. */
STK_NODISCARD stk_status stk_trainer_observe(stk_trainer *trainer, stk_error *err);
/* Call after a step's last piece, before the meter ends the step; and after that. */
void stk_trainer_meter_outputs(stk_trainer *trainer);
void stk_trainer_observe_step(stk_trainer *trainer);
/* Call before a loader is freed, and at the end. */
void stk_trainer_observe_now(stk_trainer *trainer);
void stk_trainer_log(const stk_trainer *trainer, const char *format, ...) STK_PRINTF(2, 3);

/* Enqueues the next step and takes the results that are due (train_steps.c). */
STK_NODISCARD stk_status stk_trainer_step(stk_trainer *trainer, stk_error *err);
/* The position after a step: fills those fields of progress. */
void stk_trainer_position(const stk_trainer *trainer, int64_t step, int64_t group_step,
                          stk_train_progress *progress);

#endif
