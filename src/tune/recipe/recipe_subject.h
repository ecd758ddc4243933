/* Recipes as what a search measures. */
#ifndef STK_TUNE_RECIPE_RECIPE_SUBJECT_H
#define STK_TUNE_RECIPE_RECIPE_SUBJECT_H

#include "tune/recipe/recipe_settings.h"

typedef struct stk_recipe_subject {
    const stk_tune_options *options;
    stk_recipe_settings     settings;
    const char             *folder; /* of runs and packs */
    stk_blob                yaml;   /* the user's recipe, terminated */
    double                  block_s;
    double                  deadline_s; /* on stk_clock_ns: the guard begins no training after it */
    int                     runs;       /* begun so far: each has a folder of its own */
    double                  guard_epochs; /* of a training of the guard; below 0: not decided */
} stk_recipe_subject;

/* All of the arguments must outlive subject, which is released even on failure. */
STK_NODISCARD stk_status stk_recipe_subject_init(stk_recipe_subject     *subject,
                                                 const stk_train_recipe *recipe,
                                                 const stk_tune_options *options,
                                                 const char *folder, stk_error *err);
/* Removes the folders of runs: also those of a search that was killed. */
void stk_recipe_remove_runs(const stk_recipe_subject *subject);
/* Removes them, too. */
void stk_recipe_subject_release(stk_recipe_subject *subject);
/* The table of functions over subject, which must outlive it. */
stk_tune_subject stk_recipe_subject_table(stk_recipe_subject *subject);

/* list.c: what limits a setting, and the candidates of all actions. */
STK_NODISCARD stk_status stk_recipe_list(stk_recipe_subject *subject, const stk_tune_setting *now,
                                         stk_tune_candidates *out, stk_error *err);
/* guard.c */
STK_NODISCARD stk_status stk_recipe_guard(stk_recipe_subject       *subject,
                                          const stk_tune_setting   *before,
                                          const stk_tune_setting   *after,
                                          const stk_tune_candidate *candidate,
                                          stk_tune_guard_result *out, stk_error *err);
/* The folder of the next run: "FOLDER/tune-runs/7". */
STK_NODISCARD stk_status stk_recipe_run_folder(char                path[STK_TRAIN_PATH],
                                               stk_recipe_subject *subject, stk_error *err);

#endif
