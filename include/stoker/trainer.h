/* stoker/trainer.h - runs a resolved recipe, writes a run folder, and resumes after any
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

/* Progress of a run. */
typedef struct stk_train_progress {
    int64_t epoch, epochs; /* from 0; a fraction of an epoch is rounded up */
    int64_t step, steps;   /* of the whole run */
    int64_t last_enqueued; /* the last step enqueued; an asynchronous device may be some steps
                              behind it */
    int64_t epoch_step, epoch_steps;
    int64_t size;                       /* of images, in the current epoch group */
    double  loss, accuracy;             /* means since the last report; accuracy 0 to 1 */
    double  epoch_loss, epoch_accuracy; /* means over the epoch so far */
    double  learning_rate, momentum, loss_scale;
    double  images_per_second, input_wait; /* fraction of time that compute waited for input */
    double  seconds, seconds_left; /* estimated from recent steps and evaluations; 0: not known */
    int64_t skipped;               /* steps without an update: their gradients were not finite */
    bool    epoch_end, evaluated, best; /* evaluated: loss and accuracy below are new */
    double  validation_loss, validation_accuracy, validation_top5;
} stk_train_progress;

/* Called during training. on_step runs on the training thread after every step and delays it. The
 * other callbacks run on a thread of their own, one at a time, with a copy. No report is dropped:
 * training waits once that thread is some thousand reports behind. A callback's error is logged
 * once and does not stop training. */
typedef struct stk_callback {
    const char *name; /* must outlive the trace, if there is one */
    void (*on_step)(void *context, const stk_train_progress *progress);
    stk_status (*on_report)(void *context, const stk_train_progress *progress, stk_error *err);
    stk_status (*on_epoch)(void *context, const stk_train_progress *progress, stk_error *err);
    void *context;
    /* Called before a checkpoint is written. A resumed run does not repeat reports of the steps up
     * to it, so a callback makes its own files durable here. On failure the checkpoint is not
     * written. */
    stk_status (*on_checkpoint)(void *context, stk_error *err);
} stk_callback;

typedef struct stk_trainer_options {
    bool                resume;    /* continue from the run folder's last checkpoint */
    const stk_callback *callbacks; /* must outlive the trainer */
    size_t              callback_count;
    const stk_cancel   *cancel; /* stops after the current step and writes a checkpoint */
    stk_trace          *trace;  /* its level may change at any time */
    const stk_inject   *inject; /* injected faults; NULL: none; copied */
    bool time_operations;       /* for the profile, after warm-up: two clock reads per operation */
    bool brief;                 /* the run will not be resumed: keeps no state for that */
    /* Receives messages for the user: warnings and decisions. Called from any thread, one call at a
     * time. NULL drops them. */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_trainer_options;

typedef struct stk_trainer stk_trainer;

/* Compiles all programs and creates the run folder. recipe must be resolved and is copied. A folder
 * that holds a run is STK_E_EXISTS unless resume is set. */
STK_API STK_NODISCARD stk_status stk_trainer_open(stk_trainer **out, const stk_train_recipe *recipe,
                                                  const stk_train_data      *data,
                                                  const stk_trainer_options *options,
                                                  stk_error                 *err);
/* NULL is fine. */
STK_API void stk_trainer_free(stk_trainer *trainer);

typedef struct stk_train_result {
    stk_train_progress last; /* epoch_loss and epoch_accuracy cover the epoch up to the last step */
    double             best_accuracy;
    int64_t            best_step;
    bool               interrupted, stopped_early;
    char               best_path[STK_TRAIN_PATH]; /* weights of the best model */
    double compute_seconds, input_seconds, evaluation_seconds, output_seconds; /* exposed times */
} stk_train_result;

/* Trains to the end, to cancellation, or to an error. A loss that is not finite is STK_E_RANGE; the
 * message names the step and a remedy. */
STK_API STK_NODISCARD stk_status stk_trainer_run(stk_trainer *trainer, stk_train_result *result,
                                                 stk_error *err);
/* Memory of the epoch group that needs most. */
STK_API stk_memory_plan stk_trainer_memory(const stk_trainer *trainer);

/* What will be trained, for the user. */
typedef struct stk_train_summary {
    int64_t     epochs, steps;            /* of the complete run */
    int64_t     first_step;               /* steps done before this run was resumed */
    char        schedule[STK_TRAIN_TEXT]; /* as stk_schedule_text writes it */
    const char *backend;                  /* borrowed from the trainer */
    char machine[STK_TRAIN_TEXT]; /* backend and machine, as stk_device_describe writes them */
    int  threads;                 /* that compute */
    char cache[STK_TRAIN_TEXT];   /* how data is cached, and why */
} stk_train_summary;

/* Durations of the phases before the end of the first step, in order. */
enum { STK_STARTUP_PARTS = 12 };

typedef struct stk_startup_part {
    const char *name; /* such as "compile"; a literal */
    double      seconds;
} stk_startup_part;

typedef struct stk_train_startup {
    bool             complete; /* the first step has ended */
    double           seconds;  /* since the trainer was opened; the parts may add up to less */
    size_t           count;
    stk_startup_part parts[STK_STARTUP_PARTS];
} stk_train_startup;

STK_API stk_train_startup stk_trainer_startup(const stk_trainer *trainer);

/* A few images to show to a user. */
enum { STK_TRAIN_SAMPLES = 12 };

typedef struct stk_train_sample {
    int64_t label, second; /* second: the other label of a mixture; -1: no mixture */
    double  fraction;      /* weight of label in a mixture, else 1 */
    int64_t predicted;     /* -1: not known */
    double  probability;   /* of predicted */
} stk_train_sample;

typedef struct stk_train_samples {
    int64_t          step, count, size, channels;
    stk_train_sample list[STK_TRAIN_SAMPLES];
    stk_blob         pixels; /* uint8 [count,size,size,channels] */
} stk_train_samples;

/* Images as the network saw them: the first of a training batch, or validation images with their
 * predictions in the last evaluation. Copies to out, which the caller releases even on failure;
 * count 0: none yet. Callable from any thread until the trainer is freed. */
STK_API STK_NODISCARD stk_status stk_trainer_samples(stk_trainer *trainer, bool validation,
                                                     stk_train_samples *out, stk_error *err);
STK_API void                     stk_train_samples_release(stk_train_samples *samples);
/* Write the label ("cat", "7" without class names, "cat 70 % + dog" for a mixture) and the
 * prediction ("" if not known). Both return text. */
STK_API const char *stk_train_sample_label(const stk_train_sample *sample,
                                           const stk_train_data *data, char *text, size_t capacity);
STK_API const char *stk_train_sample_predicted(const stk_train_sample *sample,
                                               const stk_train_data *data, char *text,
                                               size_t capacity);

STK_API stk_train_summary stk_trainer_summary(const stk_trainer *trainer);
STK_API const char       *stk_trainer_folder(const stk_trainer *trainer);

/* Time spent in callbacks. A callback is slow if its mean time exceeds the mean step time, as in
 * Keras. */
typedef struct stk_callback_stats {
    const char *name;
    uint64_t    calls, nanoseconds, failures;
    bool        on_training_thread, slow;
} stk_callback_stats;

STK_API size_t             stk_trainer_callback_count(const stk_trainer *trainer);
STK_API stk_callback_stats stk_trainer_callback_at(const stk_trainer *trainer, size_t index);

/* Borrowed from the trainer. Readable during training and after it. */
STK_API stk_meter *stk_trainer_meter(stk_trainer *trainer);
/* The profile of the run so far. Initialises out; the caller releases it even on failure. Callable
 * from any thread until the trainer is freed. Measurement begins after STK_TRAIN_WARM_UP steps (a
 * fifth of a shorter run); step_list has all steps. Input stages belong to the current epoch group
 * and are up to a tenth of a second old; queue counters start with the group. The caller fills
 * machine, limits, resources, batches, overhead and largest_batch. */
STK_API STK_NODISCARD stk_status stk_trainer_profile(stk_trainer *trainer, stk_profile *out,
                                                     stk_error *err);

STK_END_DECLS
#endif
