/* Tuning a recipe: what is searched, and the files that stay. */
#include "train/resolve/resolve.h"
#include "tune/recipe/recipe_subject.h"
#include "tune/report/report_files.h"
#include "tune/search/identity.h"
#include "tune/search/words.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double guard_epochs_max = 1;

static bool action_at(const void *context, size_t index, char word[STK_TUNE_WORD])
{
    const stk_tune_action_info *action = stk_tune_action_at(index);
    (void)context;
    if (action) snprintf(word, STK_TUNE_WORD, "%s", action->name);
    return action;
}

/* Keys of recipes, and those that stand for packs. */
static bool key_at(const void *context, size_t index, char word[STK_TUNE_WORD])
{
    static const char *const packs[] = {"pack.form", "pack.resize"};
    enum { PACKS = sizeof packs / sizeof *packs };
    const stk_param *key = index < PACKS ? NULL : stk_train_key_at(index - PACKS);
    (void)context;
    if (index < PACKS) snprintf(word, STK_TUNE_WORD, "%s", packs[index]);
    if (key) snprintf(word, STK_TUNE_WORD, "%s.%s", key->group, key->name);
    return index < PACKS || key;
}

static stk_status check_words(const stk_tune_options *o, stk_error *err)
{
    STK_TRY(stk_tune_words_check(o->only, "--only", "action", action_at, NULL, err));
    STK_TRY(stk_tune_words_check(o->without, "--without", "action", action_at, NULL, err));
    return stk_tune_words_check(o->pinned, "--pin", "key", key_at, NULL, err);
}

static stk_status check(const stk_train_recipe *recipe, const stk_tune_options *o, stk_error *err)
{
    const char *key = o->least < 0 || o->least > 10    ? "least"
                      : o->budget_s < 0                ? "budget_s"
                      : o->margin < 0 || o->margin > 1 ? "margin"
                                                       : NULL;
    if (key) return stk_fail(err, STK_E_INVALID, "tune", key, "it is out of range");
    if (!o->folder || !*o->folder)
        return stk_fail(err, STK_E_INVALID, "tune", "folder", "no folder for the ledger");
    if (!*recipe->data.path)
        return stk_fail(err, STK_E_INVALID, "tune", "data.path",
                        "no data to train on: name it, or a recipe that does");
    return check_words(o, err);
}

static void describe(stk_tune_report *report, const stk_train_recipe *recipe,
                     const stk_tune_options *o)
{
    snprintf(report->kind, sizeof report->kind, "recipe");
    snprintf(report->unit, sizeof report->unit, "samples");
    snprintf(report->subject, sizeof report->subject, "%.250s", recipe->data.path);
    snprintf(report->objective, sizeof report->objective, "samples per second of training%s",
             o->allow_learning ? ", and no loss of accuracy where learning changes"
                               : ", with what is learnt unchanged");
}

/* What must be the same when a search goes on: what decides, and the recipe. */
static stk_status identify(stk_blob *out, const stk_recipe_subject *subject, stk_error *err)
{
    const stk_tune_options *o = subject->options;
    char                    faults[128];
    stk_inject_text(o->inject ? o->inject : &(stk_inject){0}, faults, sizeof faults);
    STK_TRY(stk_tune_identity_options(out, o, err));
    STK_TRY(stk_tune_identity_add(out, "inject", faults, err));
    return stk_blob_append(out, subject->yaml.data, subject->yaml.size, err); /* with its end */
}

/* A training of the guard sees the data once, or as often as the recipe says if that is less. */
static stk_status choose_guard(stk_recipe_subject *subject, stk_error *err)
{
    const stk_tune_setting none = {0};
    const stk_train_data  *data;
    stk_train_recipe      *recipe = malloc(sizeof *recipe);
    if (!recipe) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a recipe");
    const stk_status st =
        stk_recipe_settings_resolve(recipe, &data, &subject->settings, &none, err);
    if (!st) subject->guard_epochs = fmin(guard_epochs_max, recipe->train.epochs);
    free(recipe);
    return st;
}

static stk_status save_recipe(const stk_recipe_subject *subject, const stk_tune_setting *best,
                              stk_error *err)
{
    char              path[STK_TRAIN_PATH];
    stk_blob          text;
    stk_train_recipe *recipe = malloc(sizeof *recipe);
    if (!recipe) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a recipe");
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    snprintf(path, sizeof path, "%.1000s/tuned.yaml", subject->options->folder);
    stk_status st = stk_recipe_settings_apply(recipe, &subject->settings, best, err);
    if (!st) st = stk_train_resolve_paths(recipe, err);
    if (!st) st = stk_train_recipe_print(recipe, &text, err);
    if (!st) st = stk_file_write_all(NULL, path, stk_blob_bytes(&text), err);
    stk_blob_release(&text);
    free(recipe);
    return st;
}

static stk_status search(stk_recipe_subject *subject, stk_tune_ledger *ledger,
                         stk_tune_report *report, stk_error *err)
{
    const stk_tune_subject table = stk_recipe_subject_table(subject);
    stk_blob               identity;
    stk_blob_init(&identity, NULL, STK_MEMORY_OUTPUT);
    stk_status st = identify(&identity, subject, err);
    if (!st)
        st = stk_tune_search(&table, subject->options, (const char *)identity.data, ledger, report,
                             err);
    stk_blob_release(&identity);
    return st;
}

/* What was found before an error is worth having, but an error of the first moment, such as another
 * search's ledger, leaves what is there. */
static stk_status save(stk_recipe_subject *subject, const stk_tune_report *report, stk_status st,
                       stk_error *err)
{
    const bool begun = report->budget_s > 0;
    if (st && !begun) return st;
    const stk_status saved = save_recipe(subject, &report->best, st ? NULL : err);
    if (!st) st = saved;
    const stk_status shown = stk_tune_save_page(report, subject->options->folder, st ? NULL : err);
    return st ? st : shown;
}

static stk_status search_and_save(stk_recipe_subject *subject, stk_tune_report *report,
                                  stk_error *err)
{
    const stk_tune_options *o = subject->options;
    stk_tune_ledger        *ledger;
    STK_TRY(choose_guard(subject, err)); /* data that is not there begins no ledger */
    STK_TRY(stk_tune_ledger_open(&ledger, o->folder, o->resume, err));
    stk_recipe_remove_runs(subject); /* of a search that was killed */
    const stk_status st = search(subject, ledger, report, err);
    stk_tune_ledger_close(ledger);
    return save(subject, report, st, err);
}

stk_status stk_tune_recipe(stk_tune_report *report, const stk_train_recipe *recipe,
                           const stk_tune_options *options, stk_error *err)
{
    stk_tune_report_init(report);
    STK_TRY(check(recipe, options, err));
    STK_TRY(stk_tune_report_identify(report, err));
    describe(report, recipe, options);
    stk_recipe_subject *subject = calloc(1, sizeof *subject);
    if (!subject) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a search");
    stk_status st = stk_recipe_subject_init(subject, recipe, options, options->folder, err);
    if (!st) st = search_and_save(subject, report, err);
    stk_recipe_subject_release(subject);
    free(subject);
    return st;
}
