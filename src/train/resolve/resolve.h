/* State shared by the resolvers. Each one fills its keys of the recipe and appends reasons; keys
 * that the user set stay. */
#ifndef STK_TRAIN_RESOLVE_RESOLVE_H
#define STK_TRAIN_RESOLVE_RESOLVE_H

#include "train/recipe/published_recipe.h"
#include <stoker/presets.h>
#include <stoker/train_data.h>

typedef struct stk_resolve_ctx {
    stk_train_recipe           *recipe;
    const stk_train_data       *data;
    stk_blob                   *reasons;
    const stk_preset           *preset;
    const stk_published_recipe *own;   /* the model's own; NULL: none */
    bool                        tunes; /* fine-tuning: the weights are pretrained */
} stk_resolve_ctx;

/* Appends a line to the reasons, if the caller asked for them. */
STK_NODISCARD stk_status stk_resolve_note(stk_resolve_ctx *s, stk_error *err, const char *format,
                                          ...) STK_PRINTF(3, 4);
/* Copies text to field, which has STK_TRAIN_TEXT bytes. */
void stk_resolve_put(char *field, const char *text);
/* Makes the paths of a recipe absolute: by themselves they begin at the working directory, and in a
 * file at its folder. */
STK_NODISCARD stk_status stk_train_resolve_paths(stk_train_recipe *recipe, stk_error *err);
/* By the recipe's backend, else by the fastest available. */
bool stk_resolve_on_gpu(const stk_train_recipe *r);

/* resolve_data.c */
STK_NODISCARD stk_status stk_resolve_rare_class(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_splits(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_preset(stk_resolve_ctx *s, stk_error *err);
/* resolve_model.c */
STK_NODISCARD stk_status stk_resolve_weights(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_own(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_model(stk_resolve_ctx *s, stk_error *err);
/* resolve_schedule.c */
STK_NODISCARD stk_status stk_resolve_batch(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_epochs(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_optimizer(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_schedule(stk_resolve_ctx *s, stk_error *err);
void                     stk_resolve_steps(stk_resolve_ctx *s);
STK_NODISCARD stk_status stk_resolve_progressive(stk_resolve_ctx *s, stk_error *err);
/* resolve_machine.c */
STK_NODISCARD stk_status stk_resolve_check_decode(const stk_train_recipe *r, stk_error *err);
STK_NODISCARD stk_status stk_resolve_precision(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_threads(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_resident(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_cache(stk_resolve_ctx *s, stk_error *err);
STK_NODISCARD stk_status stk_resolve_augment(stk_resolve_ctx *s, stk_error *err);
/* resolve_balance.c */
STK_NODISCARD stk_status stk_resolve_balance(stk_resolve_ctx *s, stk_error *err);
/* Sets a run folder name that is free now (resolve_folder.c). */
STK_NODISCARD stk_status stk_resolve_folder(stk_train_recipe *recipe, stk_error *err);

#endif
