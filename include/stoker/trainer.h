/* stoker/trainer.h - runs a settled recipe: writes a run folder, and can go on after any
 * interruption. */
#ifndef STOKER_TRAINER_H
#define STOKER_TRAINER_H

#include <stoker/cancel.h>
#include <stoker/inject.h>
#include <stoker/meter.h>
#include <stoker/profile.h>
#include <stoker/program.h>
#include <stoker/trace.h>
#include <stoker/train_data.h>

STK_BEGIN_DECLS

/* Where training is. */
typedef struct stk_train_progress {
    int64_t epoch, epochs; /* from 0; epochs of fractions are rounded up */
    int64_t step, steps;   /* of the whole run */
    int64_t last_enqueued; /* steps that were: on a device that works beside the caller, some after
                              step */
    int64_t epoch_step, epoch_steps;
    int64_t size;                      /* of images, now */
    double  loss, accuracy;            /* over the steps since the last report; accuracy 0 to 1 */
    double epoch_loss, epoch_accuracy; /* over the epoch up to that report: at its end, all of it */
    double learning_rate, momentum, loss_scale;
    double images_per_second, input_wait; /* the share of time that compute waited for input */
    double seconds, seconds_left; /* left: by the last while, with evaluations; 0: not known */
    int64_t skipped;              /* steps without an update: gradients were not finite */
    bool    epoch_end, evaluated, best; /* evaluated: the two below are new */
    double  validation_loss, validation_accuracy, validation_top5;
} stk_train_progress;

/* Called during training. on_step runs on the training thread after every step: it delays training.
 * The others run on a thread of their own, one at a time, with a copy; no report is left out, and
 * where that thread is some thousand reports behind training waits for it. An error of theirs is
 * told once and does not stop training. */
typedef struct stk_callback {
    const char *name; /* outlives the trace, where there is one */
    void (*on_step)(void *context, const stk_train_progress *progress);
    stk_status (*on_report)(void *context, const stk_train_progress *progress, stk_error *err);
    stk_status (*on_epoch)(void *context, const stk_train_progress *progress, stk_error *err);
    void *context;
    /* A checkpoint is about to be written, after which a run that goes on reports nothing of the
     * steps up to it again: what was told so far must be on the disk. Where that fails the
     * checkpoint is not written. */
    stk_status (*on_checkpoint)(void *context, stk_error *err);
} stk_callback;

typedef struct stk_trainer_options {
    bool                resume;    /* go on where the run folder's last checkpoint is */
    const stk_callback *callbacks; /* must outlive the trainer */
    size_t              callback_count;
    const stk_cancel   *cancel; /* stops after the step at hand, with a checkpoint */
    stk_trace          *trace;  /* its level may change at any time */
    const stk_inject   *inject; /* faults on purpose; NULL: none; copied */
    bool time_operations;       /* for the profile, after warm-up: two clock reads an operation */
    bool brief;                 /* it will not go on later: nothing is kept for that */
    /* Lines for people: warnings, decisions. Called from any thread, one at a time; NULL: dropped.
     */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_trainer_options;

typedef struct stk_trainer stk_trainer;

/* Compiles everything and makes the run folder; recipe must be settled and is copied. A run folder
 * that has a run already is STK_E_EXISTS unless resume. */
STK_API STK_NODISCARD stk_status stk_trainer_open(stk_trainer **out, const stk_train_recipe *recipe,
                                                  const stk_train_data      *data,
                                                  const stk_trainer_options *options,
                                                  stk_error                 *err);
/* NULL is fine. */
STK_API void stk_trainer_free(stk_trainer *trainer);

typedef struct stk_train_result {
    stk_train_progress last; /* epoch_loss and epoch_accuracy are up to the last step */
    double             best_accuracy;
    int64_t            best_step;
    bool               interrupted, stopped_early;
    char               best_path[STK_TRAIN_PATH]; /* the best model's weights */
    double compute_seconds, input_seconds, evaluation_seconds, output_seconds; /* exposed times */
} stk_train_result;

/* Trains to the end, to cancel, or to an error. A loss that is not finite is STK_E_RANGE with the
 * step and what to do. */
STK_API STK_NODISCARD stk_status stk_trainer_run(stk_trainer *trainer, stk_train_result *result,
                                                 stk_error *err);
/* Of the phase that takes most. */
STK_API stk_memory_plan stk_trainer_memory(const stk_trainer *trainer);

/* What is to come, for people. */
typedef struct stk_train_summary {
    int64_t     epochs, steps;            /* of the whole run */
    int64_t     first_step;               /* steps that are done already: the run was resumed */
    char        schedule[STK_TRAIN_TEXT]; /* in words, as stk_schedule_text gives it */
    const char *backend;                  /* lent by the trainer */
    char        machine[STK_TRAIN_TEXT];  /* backend and machine, as stk_device_describe has it */
    int         threads;                  /* that compute */
    char        cache[STK_TRAIN_TEXT];    /* what is kept of the data, and why */
} stk_train_summary;

/* What the seconds before the end of the first step went to, in order. */
enum { STK_STARTUP_PARTS = 12 };

typedef struct stk_startup_part {
    const char *name; /* "compile": a literal */
    double      seconds;
} stk_startup_part;

typedef struct stk_train_startup {
    bool             complete; /* there was a first step */
    double           seconds;  /* from the trainer's opening on; parts may be less */
    size_t           count;
    stk_startup_part parts[STK_STARTUP_PARTS];
} stk_train_startup;

STK_API stk_train_startup stk_trainer_startup(const stk_trainer *trainer);

/* A few images, for people. */
enum { STK_TRAIN_SAMPLES = 12 };

typedef struct stk_train_sample {
    int64_t label, second; /* second: of a mixture; -1: it is none */
    double  fraction;      /* of label in a mixture, else 1 */
    int64_t predicted;     /* -1: not known */
    double  probability;   /* of that */
} stk_train_sample;

typedef struct stk_train_samples {
    int64_t          step, count, size, channels;
    stk_train_sample list[STK_TRAIN_SAMPLES];
    stk_blob         pixels; /* uint8 [count,size,size,channels] */
} stk_train_samples;

/* What the network saw: the first of a batch that it trained on, or some of the validation data
 * with what it took them for in the last evaluation. A copy, to be released even on failure; count
 * 0: none yet. From any thread, but not while the trainer is being freed. */
STK_API STK_NODISCARD stk_status stk_trainer_samples(stk_trainer *trainer, bool validation,
                                                     stk_train_samples *out, stk_error *err);
STK_API void                     stk_train_samples_release(stk_train_samples *samples);
/* "cat", "7" where classes have no names, "cat 70 % + dog" of a mixture; and what it was taken for,
 * "" where that is not known. Both give text. */
STK_API const char *stk_train_sample_label(const stk_train_sample *sample,
                                           const stk_train_data *data, char *text, size_t capacity);
STK_API const char *stk_train_sample_predicted(const stk_train_sample *sample,
                                               const stk_train_data *data, char *text,
                                               size_t capacity);

STK_API stk_train_summary stk_trainer_summary(const stk_trainer *trainer);
STK_API const char       *stk_trainer_folder(const stk_trainer *trainer);

/* Callbacks that were slow: the rule is that of Keras, mean time above mean step time. */
typedef struct stk_callback_stats {
    const char *name;
    uint64_t    calls, nanoseconds, failures;
    bool        on_training_thread, slow;
} stk_callback_stats;

STK_API size_t             stk_trainer_callback_count(const stk_trainer *trainer);
STK_API stk_callback_stats stk_trainer_callback_at(const stk_trainer *trainer, size_t index);

/* Lent: its counters while training goes on and after. */
STK_API stk_meter *stk_trainer_meter(stk_trainer *trainer);
/* What is known of the run so far; out is initialised and to be released even on failure. From any
 * thread, but not while the trainer is being freed. The measured part begins after
 * STK_TRAIN_WARM_UP steps (a fifth of a shorter run); step_list has all steps. The input is that
 * of the phase at hand, as it was up to a tenth of a second ago; its queues are told from its
 * beginning on. machine, limits, resources, batches, overhead and largest_batch are left to the
 * caller. */
STK_API STK_NODISCARD stk_status stk_trainer_profile(stk_trainer *trainer, stk_profile *out,
                                                     stk_error *err);

STK_END_DECLS
#endif
