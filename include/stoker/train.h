/* stoker/train.h - train, evaluate and use a model from a recipe.
 * A recipe is data + model + schedule + knobs. Every key has a default or finds its own value from
 * the data; stk_train_settle decides what is open and says why. A trainer runs it, writes a run
 * folder and can go on after any interruption. */
#ifndef STOKER_TRAIN_H
#define STOKER_TRAIN_H

#include <stoker/cancel.h>
#include <stoker/filesystem.h>
#include <stoker/inject.h>
#include <stoker/profile.h>
#include <stoker/program.h>

STK_BEGIN_DECLS

enum {
    STK_TRAIN_TEXT = 256,
    STK_TRAIN_PATH = 1024,
    STK_TRAIN_LIST = 4096,
    STK_TRAIN_WARM_UP = 20,
    STK_TRAIN_FEW = 2 /* pictures of a class that can hardly be learnt */
};

/* What the keys of a recipe set. Text "" and numbers below zero mean "auto" where a key has it. */
typedef struct stk_train_recipe {
    struct {
        char    path[STK_TRAIN_PATH], kind[STK_TRAIN_TEXT], split[STK_TRAIN_TEXT];
        char    validation[STK_TRAIN_TEXT]; /* a split, a share "0.1", or "none" */
        char    test[STK_TRAIN_TEXT];       /* a split, or "none" */
        char    preset[STK_TRAIN_TEXT];
        char    pipeline[STK_TRAIN_PATH]; /* a recipe whose data: is a list of stages; or "" */
        char    on_bad_sample[STK_TRAIN_TEXT];
        bool    follow_outside; /* links and rows that lead out of the data's folder are taken */
        char    cache[STK_TRAIN_TEXT], resident[STK_TRAIN_TEXT], flip[STK_TRAIN_TEXT];
        char    cache_folder[STK_TRAIN_PATH]; /* of files kept on a disk; "": in the run's folder */
        char    balance[STK_TRAIN_TEXT];      /* "classes": each comes equally often; else "none" */
        int64_t size, batch, eval_batch, shuffle;
        double  mixup, cutmix;
    } data;
    struct {
        char    name[STK_TRAIN_TEXT], weights[STK_TRAIN_PATH];
        int64_t classes;
        double  width, dropout;
        bool    trivial; /* one dense layer on the mean colour: no compute, to measure the rest */
    } model;
    struct {
        char    optimizer[STK_TRAIN_TEXT], schedule[STK_TRAIN_TEXT], precision[STK_TRAIN_TEXT];
        char    milestones[STK_TRAIN_TEXT], decay[STK_TRAIN_TEXT], tta[STK_TRAIN_TEXT];
        char    loss[STK_TRAIN_TEXT];
        char    class_weights[STK_TRAIN_LIST]; /* "none", "balanced", "1,2,0.5" or "cat=2,dog=3" */
        double  focal_gamma;
        char    freeze[STK_TRAIN_TEXT]; /* "backbone", or parts of the model by name; "": none */
        double  epochs, learning_rate, momentum, weight_decay, warmup_epochs, final_rate, gamma;
        double  rise, start_share, end_share;
        double  backbone_rate; /* times the rate, for all but the last layer */
        double  label_smoothing, ema, clip_norm, loss_scale, early_stop_delta;
        int64_t accumulate, steps, seed, early_stop, eval_every, lookahead;
        bool    deterministic;
    } train;
    struct {
        double  size_from, size_until, sample_from, sample_until, augment_from, augment_until;
        int64_t size_step;
    } progressive;
    struct {
        char    backend[STK_TRAIN_TEXT], passes_off[STK_TRAIN_TEXT], augment[STK_TRAIN_TEXT];
        char    decode[STK_TRAIN_TEXT]; /* who decodes pictures: "cpu", "shared" or "gpu" */
        int64_t threads, input_threads, memory_mb, ahead;
        bool    eager;
    } knobs;
    struct {
        char    folder[STK_TRAIN_PATH];
        int64_t checkpoint_every, keep, log_every;
        bool    tensorboard;
    } output;
} stk_train_recipe;

typedef enum stk_train_kind {
    STK_TRAIN_IS_TEXT,
    STK_TRAIN_IS_CHOICE,
    STK_TRAIN_IS_INTEGER,
    STK_TRAIN_IS_NUMBER,
    STK_TRAIN_IS_BOOL
} stk_train_kind;

/* One key, as "train.epochs": for YAML, flags and documentation alike. */
typedef struct stk_train_key {
    const char    *section, *name;
    stk_train_kind kind;
    size_t         offset, size; /* in stk_train_recipe */
    const char    *fallback;     /* "auto": found from the data */
    const char    *words;        /* of CHOICE: "sgd nesterov adamw" */
    double         least, most;  /* of numbers */
    const char    *help;
} stk_train_key;

/* NULL past the end. */
STK_API const stk_train_key *stk_train_key_at(size_t index);

/* Every key at its fallback. */
STK_API void stk_train_recipe_init(stk_train_recipe *recipe);
/* Sets "section.name" from text; where begins messages ("--epochs", "recipe.yaml:7"). An unknown
 * key is STK_E_INVALID with the nearest one. */
STK_API STK_NODISCARD stk_status stk_train_recipe_set(stk_train_recipe *recipe, const char *key,
                                                      const char *text, const char *where,
                                                      stk_error *err);
/* Sets what a YAML file has; errors name line and key. fs NULL: local. */
STK_API STK_NODISCARD stk_status stk_train_recipe_load(stk_train_recipe     *recipe,
                                                       const stk_filesystem *fs, const char *path,
                                                       stk_error *err);
/* Appends the recipe as YAML with every key, so that loading it gives the same. */
STK_API STK_NODISCARD stk_status stk_train_recipe_print(const stk_train_recipe *recipe,
                                                        stk_blob *out, stk_error *err);

/* What images are like, by the headers of some hundred that are spread over the training split. */
typedef struct stk_train_survey {
    int64_t looked;     /* that could be read; 0: pixels of one size, or nobody looked */
    int64_t unreadable; /* of those that were to be looked at besides */
    int64_t grey;       /* of looked */
    int64_t least_width, least_height, most_width, most_height; /* the smallest and the largest */
    double  longest;                                            /* length to breadth */
    char    formats[96];                                        /* "380 jpeg, 20 png" */
    char    bad[256]; /* the first that could not be read, and why */
} stk_train_survey;

/* What the data is, as far as training asks. */
typedef struct stk_train_data {
    int64_t          classes, train_count, validation_count;
    int64_t          width, height, channels; /* of most pictures: medians; 1 or 3 channels */
    stk_train_survey survey;
    char           **class_names; /* NULL, or classes names */
    char             train_split[64], validation_split[64];
    char             test_split[64]; /* looked at once, when all is learnt and chosen; or "" */
    int64_t          test_count;
    double           validation_share;       /* > 0: that part of the train split is held back */
    int64_t          rare_class, rare_count; /* with the fewest pictures to learn from; count -1:
                                                not known */
    int64_t rare_classes;                    /* that have fewer than STK_TRAIN_FEW */
    char    unused_splits[96]; /* of the data: learnt from, chosen by and tested on are
                                  others; or "" */
    struct stk_source *source; /* what was listed; NULL: a pack or records; owned */
    int64_t           *labels; /* of all train_count pictures, in order, where the recipe's
                                  data.balance or train.class_weights need them; else NULL; owned */
} stk_train_data;

STK_API STK_NODISCARD stk_status stk_train_look(stk_train_data *out, const stk_train_recipe *recipe,
                                                stk_error *err);
STK_API void                     stk_train_data_release(stk_train_data *data);
/* "pack" (or records), or the kind of source that was listed: "folder", ...; a literal. */
STK_API const char *stk_train_data_kind(const stk_train_data *data);

/* Decides what the recipe leaves open: preset, size, model, batch, epochs, rate, threads... reasons
 * (NULL is fine) gets one line for each, "batch 128: ..." */
STK_API STK_NODISCARD stk_status stk_train_settle(stk_train_recipe     *recipe,
                                                  const stk_train_data *data, stk_blob *reasons,
                                                  stk_error *err);
/* Gives a settled recipe whose output.folder was left open a folder that is its alone, and makes
 * it: where several processes do this at once each gets another number. */
STK_API STK_NODISCARD stk_status stk_train_claim_folder(stk_train_recipe *recipe, stk_error *err);

/* Appends what a settled recipe comes to, as text: all its keys, the plan of the input, and the
 * graph of a step after each pass. Nothing is run or written. */
STK_API STK_NODISCARD stk_status stk_train_explain(const stk_train_recipe *recipe,
                                                   const stk_train_data *data, stk_blob *out,
                                                   stk_error *err);

/* Where training is. */
typedef struct stk_train_progress {
    int64_t epoch, epochs; /* from 0; epochs of fractions are rounded up */
    int64_t step, steps;   /* of the whole run */
    int64_t begun; /* steps that were: on a device that works beside the caller, some after step */
    int64_t epoch_step, epoch_steps;
    int64_t size;                      /* of pictures, now */
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
typedef struct stk_train_outlook {
    int64_t     epochs, steps;            /* of the whole run */
    int64_t     first_step;               /* steps that are done already: the run was resumed */
    char        schedule[STK_TRAIN_TEXT]; /* in words, as stk_schedule_text gives it */
    const char *backend;                  /* lent by the trainer */
    char        machine[STK_TRAIN_TEXT];  /* backend and machine, as stk_device_describe has it */
    int         threads;                  /* that compute */
    char        cache[STK_TRAIN_TEXT];    /* what is kept of the data, and why */
} stk_train_outlook;

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

/* A few pictures, for people. */
enum { STK_TRAIN_SAMPLES = 12 };

typedef struct stk_train_sample {
    int64_t label, second; /* second: of a mixture; -1: it is none */
    double  share;         /* of label in a mixture, else 1 */
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
                                           const stk_train_data *data, char *text, size_t room);
STK_API const char *stk_train_sample_predicted(const stk_train_sample *sample,
                                               const stk_train_data *data, char *text, size_t room);

STK_API stk_train_outlook stk_trainer_outlook(const stk_trainer *trainer);
STK_API const char       *stk_trainer_folder(const stk_trainer *trainer);

/* Callbacks that were slow: the rule is that of Keras, mean time above mean step time. */
typedef struct stk_callback_account {
    const char *name;
    uint64_t    calls, nanoseconds, failures;
    bool        on_training_thread, slow;
} stk_callback_account;

STK_API size_t               stk_trainer_callback_count(const stk_trainer *trainer);
STK_API stk_callback_account stk_trainer_callback_at(const stk_trainer *trainer, size_t index);

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
