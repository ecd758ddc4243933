/* stoker/train_recipe.h - a recipe is data + model + schedule + knobs: what its keys set.
 * Every key has a default, or stoker/train_resolve.h finds its value from the data. */
#ifndef STOKER_TRAIN_RECIPE_H
#define STOKER_TRAIN_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/blob.h>
#include <stoker/filesystem.h>

STK_BEGIN_DECLS

enum { STK_TRAIN_TEXT = 256, STK_TRAIN_PATH = 1024, STK_TRAIN_LIST = 4096 };

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
        char    decode[STK_TRAIN_TEXT]; /* who decodes images: "cpu", "shared" or "gpu" */
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

STK_END_DECLS
#endif
