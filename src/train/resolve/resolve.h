/* Deciding what a recipe leaves open: what the parts of it share. Each part writes its keys of the
 * recipe and a line of reasons; keys that were said stay. */
#ifndef STK_TRAIN_RESOLVE_RESOLVE_H
#define STK_TRAIN_RESOLVE_RESOLVE_H

#include "train/recipe/published_recipe.h"
#include <stoker/presets.h>
#include <stoker/train_data.h>

typedef struct stk_settling {
    stk_train_recipe       *recipe;
    const stk_train_data   *data;
    stk_blob               *reasons;
    const stk_preset       *preset;
    const stk_model_recipe *own;   /* the model's; NULL: it has none */
    bool                    tunes; /* what weights have learnt already */
} stk_settling;

/* Appends a line to the reasons, where they are wanted. */
STK_NODISCARD stk_status stk_settle_say(stk_settling *s, stk_error *err, const char *format, ...)
    STK_PRINTF(3, 4);
/* field has STK_TRAIN_TEXT bytes. */
void stk_settle_put(char *field, const char *text);
/* By the backend that was said, else by the fastest there is. */
bool stk_settle_on_gpu(const stk_train_recipe *r);

/* resolve_data.c */
STK_NODISCARD stk_status stk_settle_rare_class(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_splits(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_preset(stk_settling *s, stk_error *err);
/* resolve_model.c */
STK_NODISCARD stk_status stk_settle_weights(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_own(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_model(stk_settling *s, stk_error *err);
/* resolve_schedule.c */
STK_NODISCARD stk_status stk_settle_batch(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_epochs(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_optimizer(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_schedule(stk_settling *s, stk_error *err);
void                     stk_settle_steps(stk_settling *s);
STK_NODISCARD stk_status stk_settle_progressive(stk_settling *s, stk_error *err);
/* resolve_machine.c */
STK_NODISCARD stk_status stk_settle_check_decode(const stk_train_recipe *r, stk_error *err);
STK_NODISCARD stk_status stk_settle_precision(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_threads(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_resident(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_cache(stk_settling *s, stk_error *err);
STK_NODISCARD stk_status stk_settle_augment(stk_settling *s, stk_error *err);
/* resolve_balance.c */
STK_NODISCARD stk_status stk_settle_balance(stk_settling *s, stk_error *err);
/* A name for the run's folder that is free now (resolve_folder.c). */
STK_NODISCARD stk_status stk_settle_folder(stk_train_recipe *recipe, stk_error *err);

#endif
