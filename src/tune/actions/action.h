/* Actions: what a search may change in a recipe. One a file; actions.c has the list. */
#ifndef STK_TUNE_ACTIONS_ACTION_H
#define STK_TUNE_ACTIONS_ACTION_H

#include "tune/search/search.h"
#include <stoker/lint.h>
#include <stoker/profile.h>
#include <stoker/train_data.h>

/* What an action sees: the best setting so far, resolved, and how it runs. */
typedef struct stk_action_context {
    const stk_train_recipe *recipe; /* resolved */
    const stk_train_recipe
        *asked; /* as the user wrote it, with what was kept; open keys are open */
    const stk_tune_setting *now;
    const stk_train_data   *data;
    const stk_profile      *profile;
    const stk_diagnosis    *diagnosis;
    const stk_lint_machine *machine;
    const stk_tune_options *options;
    bool                    device;     /* computes on an asynchronous device */
    double                  data_bytes; /* on the disk; below 0: not known */
} stk_action_context;

typedef struct stk_tune_action {
    stk_tune_action_info info;
    /* Adds what applies here; nothing, if nothing does. */
    void (*propose)(const struct stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out);
    /* Adds what could be tried instead of a change that failed. NULL: nothing. */
    void (*instead)(const struct stk_tune_action *self, const stk_tune_trial *failed,
                    stk_tune_candidates *out);
} stk_tune_action;

/* NULL past the end. */
const stk_tune_action *stk_tune_actions_at(size_t index);
const stk_tune_action *stk_tune_actions_find(const char *name);

/* propose.c: makes candidates. */

/* One that changes nothing yet, with an unknown prediction. */
stk_tune_candidate stk_action_candidate(const stk_tune_action *self, const char *title, ...)
    STK_PRINTF(2, 3);
/* Adds key = value; a text that is too long leaves the candidate without it. */
void stk_action_set(stk_tune_candidate *candidate, const char *key, const char *format, ...)
    STK_PRINTF(3, 4);
/* The prediction of the diagnosis' fix of this name, if it has one. */
bool stk_action_predict_by_fix(stk_tune_candidate *candidate, const stk_action_context *c,
                               const char *name);
/* At most what is exposed of these stages; value is half of that. */
void stk_action_predict_by_exposure(stk_tune_candidate *candidate, const stk_action_context *c,
                                    stk_stage first, stk_stage last);
/* The recorded steps with a change. */
void stk_action_predict_by_simulation(stk_tune_candidate *candidate, const stk_action_context *c,
                                      const stk_what_if *what);
void stk_action_predict(stk_tune_candidate *candidate, double low, double value, double high);
/* Fraction of a step, 0 to 1. */
double stk_action_exposed(const stk_action_context *c, stk_stage stage);

#endif
