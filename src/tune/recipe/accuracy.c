/* A sequential test of non-inferiority: pairs of trainings, one pair a seed, until the difference
 * of their accuracies is shown to be above or below what may be lost. */
#include "tune/recipe/accuracy.h"
#include "base/clock.h"
#include "tune/recipe/remove_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/trainer.h>

/* Of one side alone, as only a loss matters: 95 %. */
static const double confidence = 0.9;

static stk_status open_and_run(const stk_accuracy_side *side, const stk_train_recipe *recipe,
                               const stk_cancel *cancel, stk_train_result *result, stk_error *err)
{
    const stk_trainer_options how = {.cancel = cancel, .brief = true};
    stk_trainer              *trainer;
    STK_TRY(stk_trainer_open(&trainer, recipe, side->data, &how, err));
    const stk_status st = stk_trainer_run(trainer, result, err);
    stk_trainer_free(trainer);
    return st;
}

/* One evaluation, at the end: nobody chooses the best of several. */
static stk_status train(const stk_accuracy_side *side, int seed, const stk_accuracy_options *o,
                        double *accuracy, stk_error *err)
{
    stk_train_recipe *recipe = malloc(sizeof *recipe);
    stk_train_result *result = calloc(1, sizeof *result);
    stk_status        st = STK_OK;
    if (!recipe || !result) st = stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a run");
    if (!st) {
        *recipe = *side->recipe;
        recipe->train.seed += seed;
        recipe->train.eval_every = 0;
        recipe->output.tensorboard = false;
        if (o->epochs >= 0) recipe->train.epochs = o->epochs;
        recipe->train.steps = -1;
        st = stk_train_recipe_set(recipe, "output.folder", o->folder, "tune", err);
    }
    if (!st) st = open_and_run(side, recipe, o->cancel, result, err);
    if (!st) st = stk_cancel_check(o->cancel, "tune", err);
    if (!st) *accuracy = result->last.validation_accuracy;
    stk_tune_remove_folder(o->folder);
    free(recipe);
    free(result);
    return st;
}

static bool is_decided(const stk_gain_test *test, double margin)
{
    const stk_estimate mean = stk_gain_test_mean(test, confidence);
    return mean.low > -margin || mean.high < -margin;
}

static void judge(stk_tune_guard_result *out, const stk_gain_test *test, double sums[2],
                  double margin)
{
    const stk_estimate mean = stk_gain_test_mean(test, confidence);
    const double       count = (double)test->count;
    out->passed = mean.low > -margin;
    snprintf(
        out->reason, sizeof out->reason,
        "accuracy %.2f %% instead of %.2f %% (%+.2f points, %+.2f to %+.2f, %zu seeds): a loss "
        "of %.2g points is %s",
        100 * sums[1] / count, 100 * sums[0] / count, 100 * mean.value, 100 * mean.low,
        100 * mean.high, test->count, 100 * margin,
        out->passed           ? "excluded"
        : mean.high < -margin ? "shown"
                              : "not excluded");
}

static void judge_late(stk_tune_guard_result *out, const stk_gain_test *test, double sums[2],
                       double margin)
{
    const double count = (double)test->count;
    out->passed = false;
    snprintf(out->reason, sizeof out->reason,
             "accuracy %.2f %% instead of %.2f %% of %zu training%s each: the budget ended before "
             "a loss of %.2g points was excluded",
             100 * sums[1] / count, 100 * sums[0] / count, test->count, test->count == 1 ? "" : "s",
             100 * margin);
}

stk_status stk_accuracy_compare(stk_tune_guard_result *out, const stk_accuracy_side *before,
                                const stk_accuracy_side *after, const stk_accuracy_options *o,
                                stk_error *err)
{
    stk_gain_test test = {0};
    double        sums[2] = {0, 0};
    bool          late = false;
    *out = (stk_tune_guard_result){.passed = false};
    if (!before->data->validation_count) {
        snprintf(out->reason, sizeof out->reason,
                 "there are no validation images to tell what it does to accuracy");
        return STK_OK;
    }
    for (int seed = 0; seed < o->seeds && !late && !is_decided(&test, o->margin); seed++) {
        double one, other;
        STK_TRY(train(before, seed, o, &one, err));
        STK_TRY(train(after, seed, o, &other, err));
        sums[0] += one;
        sums[1] += other;
        stk_gain_test_add(&test, other - one);
        late = o->deadline_s > 0 && (double)stk_clock_ns() * 1e-9 > o->deadline_s;
    }
    if (late && !is_decided(&test, o->margin))
        judge_late(out, &test, sums, o->margin);
    else
        judge(out, &test, sums, o->margin);
    return STK_OK;
}
