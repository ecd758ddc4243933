/* stoker/train_recipe.h - a recipe is data + model + schedule + knobs: what its keys set.
 * Every key has a default, or stoker/train_resolve.h finds its value from the data. */
#ifndef STOKER_TRAIN_RECIPE_H
#define STOKER_TRAIN_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/blob.h>
#include <stoker/filesystem.h>
#include <stoker/params.h>
#include <stoker/tensor.h>

STK_BEGIN_DECLS

enum { STK_TRAIN_TEXT = 256, STK_TRAIN_PATH = 1024, STK_TRAIN_LIST = 4096 };

/* Words of a recipe. AUTO is decided when the recipe is resolved. */
typedef enum stk_on_bad_sample { STK_ON_BAD_STOP, STK_ON_BAD_SKIP } stk_on_bad_sample;
typedef enum stk_cache_kind {
    STK_CACHE_AUTO,
    STK_CACHE_MEMORY,
    STK_CACHE_DISK,
    STK_CACHE_NONE
} stk_cache_kind;
typedef enum stk_resident_choice {
    STK_RESIDENT_AUTO,
    STK_RESIDENT_ON,
    STK_RESIDENT_OFF
} stk_resident_choice;
typedef enum stk_flip_choice { STK_FLIP_AUTO, STK_FLIP_RANDOM, STK_FLIP_ALTERNATE } stk_flip_choice;
typedef enum stk_balance_choice { STK_BALANCE_NONE, STK_BALANCE_CLASSES } stk_balance_choice;
typedef enum stk_optimizer_choice {
    STK_OPTIMIZER_AUTO,
    STK_OPTIMIZER_SGD,
    STK_OPTIMIZER_NESTEROV,
    STK_OPTIMIZER_ADAMW,
    STK_OPTIMIZER_LARS,
    STK_OPTIMIZER_LAMB
} stk_optimizer_choice;
typedef enum stk_schedule_choice {
    STK_SCHEDULE_AUTO,
    STK_SCHEDULE_CONSTANT,
    STK_SCHEDULE_STEP,
    STK_SCHEDULE_MULTISTEP,
    STK_SCHEDULE_COSINE,
    STK_SCHEDULE_POLY,
    STK_SCHEDULE_ONE_CYCLE,
    STK_SCHEDULE_TRIANGLE,
    STK_SCHEDULE_PLATEAU
} stk_schedule_choice;
typedef enum stk_precision {
    STK_PRECISION_AUTO,
    STK_PRECISION_FP32,
    STK_PRECISION_TF32,
    STK_PRECISION_BF16,
    STK_PRECISION_FP16
} stk_precision;
typedef enum stk_decay_choice {
    STK_DECAY_AUTO,
    STK_DECAY_WEIGHTS,
    STK_DECAY_EVEN
} stk_decay_choice;
typedef enum stk_tta_choice {
    STK_TTA_AUTO,
    STK_TTA_NONE,
    STK_TTA_MIRROR,
    STK_TTA_MIRROR_SHIFT
} stk_tta_choice;
typedef enum stk_loss_choice { STK_LOSS_CROSS_ENTROPY, STK_LOSS_FOCAL } stk_loss_choice;
typedef enum stk_augment_place {
    STK_AUGMENT_AUTO,
    STK_AUGMENT_HOST,
    STK_AUGMENT_DEVICE
} stk_augment_place;
typedef enum stk_decode_place {
    STK_DECODE_CPU,
    STK_DECODE_SHARED,
    STK_DECODE_GPU
} stk_decode_place;

/* What the keys of a recipe set. Text "" and numbers below zero mean "auto" where a key has it. */
typedef struct stk_train_recipe {
    struct {
        char path[STK_TRAIN_PATH], kind[STK_TRAIN_TEXT], split[STK_TRAIN_TEXT];
        char validation[STK_TRAIN_TEXT]; /* a split, a share "0.1", or "none" */
        char test[STK_TRAIN_TEXT];       /* a split, or "none" */
        char preset[STK_TRAIN_TEXT];
        char pipeline[STK_TRAIN_PATH]; /* a recipe whose data: is a list of stages; or "" */
        stk_on_bad_sample on_bad_sample;
        bool follow_outside; /* links and rows that lead out of the data's folder are taken */
        stk_cache_kind      cache;
        stk_resident_choice resident;
        stk_flip_choice     flip;
        char cache_folder[STK_TRAIN_PATH]; /* of files kept on a disk; "": in the run's folder */
        stk_balance_choice balance;
        int64_t            size, batch, eval_batch, shuffle;
        double             mixup, cutmix;
    } data;
    struct {
        char    name[STK_TRAIN_TEXT], weights[STK_TRAIN_PATH];
        int64_t classes;
        double  width, dropout;
        bool    trivial; /* one dense layer on the mean colour: no compute, to measure the rest */
    } model;
    struct {
        stk_optimizer_choice optimizer;
        stk_schedule_choice  schedule;
        stk_precision        precision;
        stk_decay_choice     decay;
        stk_tta_choice       tta;
        stk_loss_choice      loss;
        char                 milestones[STK_TRAIN_TEXT];
        char    class_weights[STK_TRAIN_LIST]; /* "none", "balanced", "1,2,0.5" or "cat=2,dog=3" */
        double  focal_gamma;
        char    freeze[STK_TRAIN_TEXT]; /* "backbone", or parts of the model by name; "": none */
        double  epochs, learning_rate, momentum, weight_decay, warmup_epochs, final_rate, gamma;
        double  rise_fraction, start_factor, end_factor;
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
        char              backend[STK_TRAIN_TEXT], passes_off[STK_TRAIN_TEXT];
        stk_augment_place augment;
        stk_decode_place  decode;
        int64_t           threads, input_threads, memory_mb, steps_in_flight;
        bool              eager;
    } knobs;
    struct {
        char    folder[STK_TRAIN_PATH];
        int64_t checkpoint_every, keep, log_every;
        bool    tensorboard;
    } output;
} stk_train_recipe;

/* A row a key, its section as group: for YAML, flags and documentation alike. */
STK_API const stk_params *stk_train_recipe_table(void);
/* NULL past the end. */
STK_API const stk_param *stk_train_key_at(size_t index);
/* The word of a key that has words, as recipes write it: "fp16" of "train.precision". NULL for
 * other keys. */
STK_API const char *stk_train_recipe_word(const stk_train_recipe *recipe, const char *key);
/* What convolutions and products are computed in. */
STK_API stk_dtype stk_precision_dtype(stk_precision precision);

/* Every key at its default. */
STK_API void stk_train_recipe_init(stk_train_recipe *recipe);
/* Sets "section.name" from text; where begins messages ("--epochs", "recipe.yaml:7"). An unknown
 * key is STK_E_INVALID with the nearest one. */
STK_API STK_NODISCARD stk_status stk_train_recipe_set(stk_train_recipe *recipe, const char *key,
                                                      const char *text, const char *where,
                                                      stk_error *err);
/* The same from source, whose component is "recipe": its note is called for former names, with
 * "train.rise is now called train.rise_fraction". */
STK_API STK_NODISCARD stk_status stk_train_recipe_set_from(stk_train_recipe *recipe,
                                                           const char *key, const char *text,
                                                           const stk_params_source *source,
                                                           stk_error               *err);
/* Sets what a YAML file has; errors name line and key. fs NULL: local. */
STK_API STK_NODISCARD stk_status stk_train_recipe_load(stk_train_recipe     *recipe,
                                                       const stk_filesystem *fs, const char *path,
                                                       stk_error *err);
/* The same, with note and context of notes (NULL: none) called for former names. */
STK_API STK_NODISCARD stk_status stk_train_recipe_load_from(stk_train_recipe        *recipe,
                                                            const stk_filesystem    *fs,
                                                            const char              *path,
                                                            const stk_params_source *notes,
                                                            stk_error               *err);
/* Appends the recipe as YAML with every key, so that loading it gives the same. */
STK_API STK_NODISCARD stk_status stk_train_recipe_print(const stk_train_recipe *recipe,
                                                        stk_blob *out, stk_error *err);

STK_END_DECLS
#endif
