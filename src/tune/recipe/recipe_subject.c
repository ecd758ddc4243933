/* Recipes as what a search measures. */
#include "tune/recipe/recipe_subject.h"
#include "base/clock.h"
#include "train/resolve/endless.h"
#include "tune/actions/action.h"
#include "tune/recipe/arm.h"
#include "tune/recipe/pack_data.h"
#include "tune/recipe/remove_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OBSERVATIONS_MAX = 40 };

static const double block_s = 0.4, blocks_least = 100; /* of a short search */

stk_status stk_recipe_run_folder(char path[STK_TRAIN_PATH], stk_recipe_subject *subject,
                                 stk_error *err)
{
    const int length =
        snprintf(path, STK_TRAIN_PATH, "%s/" STK_TUNE_RUNS "/%d", subject->folder, ++subject->runs);
    if (length > 0 && length < STK_TRAIN_PATH) return STK_OK;
    return stk_fail(err, STK_E_LIMIT, "tune", subject->folder, "the folder's name is too long");
}

static void describe(void *context, stk_json_writer *w)
{
    const stk_recipe_subject *s = context;
    stk_json_pair_string(w, "recipe", (const char *)s->yaml.data);
}

static stk_status list(void *context, const stk_tune_setting *now, stk_tune_candidates *out,
                       stk_error *err)
{
    return stk_recipe_list(context, now, out, err);
}

static void list_instead(void *context, const stk_tune_trial *failed, stk_tune_candidates *out)
{
    const stk_tune_action *action = stk_tune_actions_find(failed->action);
    (void)context;
    if (action && action->instead) action->instead(action, failed, out);
}

static stk_status prepare(void *context, const stk_tune_setting *now, stk_tune_candidate *candidate,
                          stk_error *err)
{
    stk_recipe_subject *s = context;
    (void)now;
    return stk_pack_data(&s->settings, &candidate->change, s->options->space, s->options->cancel,
                         err);
}

static stk_status open_resolved(stk_recipe_subject *s, const stk_tune_setting *setting,
                                stk_train_recipe *recipe, stk_train_data *data, const char *folder,
                                stk_recipe_arm **out, stk_error *err)
{
    const stk_train_data        *lent;
    const stk_recipe_arm_options how = {.recipe = recipe,
                                        .data = data,
                                        .folder = folder,
                                        .block_s = s->block_s,
                                        .inject = s->options->inject,
                                        .cancel = s->options->cancel};
    STK_TRY(stk_recipe_settings_resolve(recipe, &lent, &s->settings, setting, err));
    *data = *lent;
    stk_train_make_endless(recipe, data);
    return stk_recipe_arm_open(out, &how, err);
}

static stk_status open(void *context, const stk_tune_setting *setting, void **out, stk_error *err)
{
    stk_recipe_subject *s = context;
    char                folder[STK_TRAIN_PATH];
    stk_train_data      data;
    stk_recipe_arm     *arm = NULL;
    *out = NULL;
    STK_TRY(stk_recipe_run_folder(folder, s, err));
    stk_train_recipe *recipe = malloc(sizeof *recipe);
    if (!recipe) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a recipe");
    const stk_status st = open_resolved(s, setting, recipe, &data, folder, &arm, err);
    *out = arm;
    free(recipe);
    return st;
}

static stk_status measure(void *arm, stk_tune_block *out, stk_error *err)
{
    return stk_recipe_arm_measure(arm, out, err);
}

static void close(void *arm)
{
    stk_recipe_arm_close(arm);
}

static stk_status guard(void *context, const stk_tune_setting *before,
                        const stk_tune_setting *after, const stk_tune_candidate *candidate,
                        stk_tune_guard_result *out, stk_error *err)
{
    return stk_recipe_guard(context, before, after, candidate, out, err);
}

stk_status stk_recipe_subject_init(stk_recipe_subject *subject, const stk_train_recipe *recipe,
                                   const stk_tune_options *options, const char *folder,
                                   stk_error *err)
{
    const double budget_s = stk_tune_budget_s(options);
    *subject = (stk_recipe_subject){.options = options,
                                    .settings = {.recipe = recipe, .folder = folder},
                                    .folder = folder,
                                    .block_s = fmin(block_s, budget_s / blocks_least),
                                    .deadline_s = (double)stk_clock_ns() * 1e-9 + budget_s,
                                    .guard_epochs = -1};
    stk_blob_init(&subject->yaml, NULL, STK_MEMORY_OUTPUT);
    STK_TRY(stk_train_recipe_print(recipe, &subject->yaml, err));
    return stk_blob_append(&subject->yaml, "", 1, err); /* its end */
}

void stk_recipe_remove_runs(const stk_recipe_subject *subject)
{
    char path[STK_TRAIN_PATH];
    snprintf(path, sizeof path, "%.1000s/" STK_TUNE_RUNS, subject->folder);
    stk_tune_remove_folder(path);
}

void stk_recipe_subject_release(stk_recipe_subject *subject)
{
    stk_recipe_remove_runs(subject);
    stk_recipe_settings_release(&subject->settings);
    stk_blob_release(&subject->yaml);
}

stk_tune_subject stk_recipe_subject_table(stk_recipe_subject *subject)
{
    return (stk_tune_subject){.blocks_of_four = true,
                              .observations_max = OBSERVATIONS_MAX,
                              .noise_observations = 5,
                              .confirm_observations = 8,
                              .describe = describe,
                              .list = list,
                              .list_instead = list_instead,
                              .prepare = prepare,
                              .open = open,
                              .measure = measure,
                              .close = close,
                              .guard = guard,
                              .context = subject};
}
