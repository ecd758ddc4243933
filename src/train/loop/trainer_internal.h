/* The inside of a trainer: what its parts share. */
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
#include "train/resolve/train_phases.h"
#include "train/session/session.h"
#include <pthread.h>
#include <stoker/schedule.h>

enum { STK_TRAINER_CALLBACKS = 32 };

/* What the meter heard of the threads of S7 and S8. */
typedef struct stk_outputs_reported {
    uint64_t callback_ns, file_ns, writer_ns, writer_bytes;
} stk_outputs_reported;

/* A step that was begun, until its result is there. */
typedef struct stk_pending_step {
    int64_t               step, group_step; /* from 1 */
    stk_instruction_input input;
    stk_loader_batch      batch; /* the feed keeps it */
} stk_pending_step;

enum { STK_TRAINER_SLOTS = STK_STEPS_IN_FLIGHT_MAX + 1 };

struct stk_trainer {
    stk_train_recipe      recipe;
    const stk_train_data *data;
    stk_trainer_options   options; /* its log is that of all parts, which takes turns */
    void (*log)(void *context, const char *line); /* the caller's; under log_lock */
    void                  *log_context;
    pthread_mutex_t        log_lock; /* held while the caller's log runs, and nothing else is */
    stk_epoch_plan         plan;
    stk_faults            *faults; /* on purpose; NULL: none */
    stk_data_cache        *cache;
    stk_session           *session;
    stk_schedule           schedule;
    stk_lock              *lock;
    stk_samples           *samples;
    stk_outputs            outputs;
    stk_callbacks         *callbacks;
    stk_checkpoint_writer *writer;
    stk_run_state          state; /* step, phase, best: as of the last step begun */
    stk_pending_step       pending[STK_TRAINER_SLOTS];
    uint64_t               begun_total, done_count;
    stk_loader            *loader; /* of the phase at hand */
    stk_trace_thread      *thread;
    stk_meter             *meter;
    stk_observer          *observer;
    stk_outputs_reported   reported;
    stk_train_progress     progress; /* as of the last step whose result is there */
    stk_train_result      *result;
    bool                   stop;            /* no more steps: early stop */
    bool                   samples_failed;  /* it was told once */
    int64_t                last_checkpoint; /* that was put, or gone on from */
    int64_t                resumed_step;  /* of the checkpoint that was gone on from; 0: of none */
    int64_t                lost_in_a_row; /* steps without an update */
    uint64_t               last_checkpoint_ns, start_ns;
    uint64_t               device_ns; /* that a step takes on a device beside; 0: there is none */
    uint64_t               attributed_ns; /* of all whose results came during the step at hand */
    uint64_t               since_ns;      /* training time is accounted for up to here */
    stk_train_sums         epoch;         /* up to the last report */
    stk_pace               pace;
    stk_startup            startup;
    /* Since the last report. */
    stk_train_sums window;
    uint64_t       window_ns, window_wait_ns;
    int64_t        window_steps;
};

/* The phase that step is in, and which step of it. */
const stk_epoch_group *stk_trainer_group(const stk_trainer *trainer);

/* Waits for the results of all steps that were begun, so that state and progress agree. */
STK_NODISCARD stk_status stk_trainer_drain(stk_trainer *trainer, stk_error *err);
/* How long the rest will take, into progress. */
void stk_trainer_summarize(stk_trainer *trainer);
/* Over the validation data; fills progress and keeps account of the best. */
STK_NODISCARD stk_status stk_trainer_evaluate(stk_trainer *trainer, stk_error *err);
/* Hands a checkpoint to the writer. best: the model alone is written, too. */
STK_NODISCARD stk_status stk_trainer_checkpoint(stk_trainer *trainer, bool best, stk_error *err);
/* The input's place of a checkpoint is the number of batches alone. */
bool stk_trainer_position_is_count(stk_bytes saved);
/* What failed of the images for people (STK_OK: nothing) is told once; the run goes on. */
void stk_trainer_warn_samples(stk_trainer *trainer, stk_status st, const stk_error *why);
/* The last step has no evaluation yet, though one is due: it was cut short. */
bool stk_trainer_owes_evaluation(const stk_trainer *trainer);
/* The models that a run that goes on should have, made of its checkpoints where they are not there
 * (mend.c); and at the end, whether they are. */
STK_NODISCARD stk_status stk_trainer_mend(stk_trainer *trainer, stk_error *err);
STK_NODISCARD stk_status stk_trainer_check_models(const stk_trainer *trainer, stk_error *err);
/* Finds the last checkpoint and puts all back. STK_E_NOTFOUND: there is none, begin anew. */
STK_NODISCARD stk_status stk_trainer_resume(stk_trainer *trainer, stk_error *err);
/* Where the recipe has another number of epochs or steps than the run's folder: checks that the run
 * can go on so, tells what becomes of it, and writes it down (length.c). After stk_trainer_resume.
 */
STK_NODISCARD stk_status stk_trainer_change_length(stk_trainer *trainer, stk_error *err);
/* Data that lies elsewhere by now: the run's recipe says so from here on. */
STK_NODISCARD stk_status stk_trainer_move_data(stk_trainer *trainer, stk_error *err);
/* The schedule of a recipe over a course. */
STK_NODISCARD stk_status stk_trainer_schedule(stk_schedule           *schedule,
                                              const stk_train_recipe *recipe,
                                              const stk_epoch_plan *plan, stk_error *err);
/* Fills the filters of a model that whitens its input; nothing for others. */
STK_NODISCARD stk_status stk_trainer_whiten(stk_trainer *trainer, stk_error *err);
/* Observing. */
STK_NODISCARD stk_status stk_trainer_observe(stk_trainer *trainer, stk_error *err);
/* After a step's last piece, before the meter ends it; and after that. */
void stk_trainer_meter_outputs(stk_trainer *trainer);
void stk_trainer_observe_step(stk_trainer *trainer);
/* Before a feed goes, and at the end. */
void stk_trainer_observe_now(stk_trainer *trainer);
void stk_trainer_log(const stk_trainer *trainer, const char *format, ...) STK_PRINTF(2, 3);

/* Begins the next step, and takes the results of those that are done (train_steps.c). */
STK_NODISCARD stk_status stk_trainer_step(stk_trainer *trainer, stk_error *err);
/* Where the run is after a step: fills that part of progress. */
void stk_trainer_position(const stk_trainer *trainer, int64_t step, int64_t group_step,
                          stk_train_progress *progress);

#endif
