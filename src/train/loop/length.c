/* Resuming with another number of epochs. The rate is a function of the step and of the run's
 * length alone. The remaining steps are therefore those of a run that had the new length from the
 * start; finished steps stay. */
#include "train/loop/trainer_internal.h"
#include "train/saved/run_folder.h"

static bool is_prepared_alike(const stk_epoch_group *a, const stk_epoch_group *b)
{
    return a->first_epoch == b->first_epoch && a->epoch_steps == b->epoch_steps &&
           a->size == b->size && a->subsample == b->subsample &&
           a->augment_reduction == b->augment_reduction;
}

/* A checkpoint's position belongs to its epoch plan: up to there both plans must agree. */
static bool shares_begin(const stk_trainer *t, const stk_epoch_plan *before)
{
    const size_t at = (size_t)t->state.group;
    if (at >= before->count || at >= t->plan.count) return false;
    for (size_t i = 0; i <= at; i++) {
        const stk_epoch_group *was = &before->groups[i], *is = &t->plan.groups[i];
        if (!is_prepared_alike(was, is)) return false;
        if (i < at && was->steps != is->steps) return false;
    }
    return t->state.group_step <= t->plan.groups[at].steps;
}

static stk_status check(const stk_trainer *t, const stk_epoch_plan *before, stk_error *err)
{
    const long long done = (long long)t->state.step, last = (long long)t->plan.steps;
    if (last <= done)
        return stk_fail(
            err, STK_E_INVALID, "train", "train.epochs",
            "%lld steps are done, and with train.epochs %g and train.steps %lld the run "
            "would end at step %lld: give more than is done",
            done, t->recipe.train.epochs, (long long)t->recipe.train.steps, last);
    if (shares_begin(t, before)) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "train", "train.epochs",
                    "with progressive training the %lld steps that are done would have been others "
                    "in a run of %g epochs; keep its epochs, or begin a new run with --weights",
                    done, t->recipe.train.epochs);
}

static stk_status log_length(const stk_trainer *t, const stk_train_recipe *recipe,
                             const stk_epoch_plan *before, stk_error *err)
{
    stk_schedule  schedule;
    const int64_t step = t->state.step;
    STK_TRY(stk_trainer_schedule(&schedule, recipe, before, err));
    if (step) STK_TRY(stk_schedule_restore(&schedule, stk_blob_bytes(&t->state.schedule), err));
    stk_trainer_log(t,
                    "the run now ends at step %lld instead of %lld; its learning rate goes on at "
                    "%.3g, as in a run of that length (before: %.3g)",
                    (long long)t->plan.steps, (long long)before->steps,
                    stk_schedule_rate(&t->schedule, step), stk_schedule_rate(&schedule, step));
    return STK_OK;
}

/* Only the length changes in the stored recipe: keys such as threads apply to this start alone. */
static stk_status change(const stk_trainer *t, stk_train_recipe *there, stk_error *err)
{
    stk_epoch_plan before;
    STK_TRY(stk_epoch_plan_make(&before, there, t->data, err));
    stk_status st = t->state.step ? check(t, &before, err) : STK_OK;
    if (!st) st = log_length(t, there, &before, err);
    stk_epoch_plan_release(&before);
    STK_TRY(st);
    there->train.epochs = t->recipe.train.epochs;
    there->train.steps = t->recipe.train.steps;
    return stk_run_folder_write_recipe(there, t->recipe.output.folder, err);
}

stk_status stk_trainer_change_length(stk_trainer *trainer, stk_error *err)
{
    const stk_train_recipe *now = &trainer->recipe;
    char                    path[STK_TRAIN_PATH];
    stk_train_recipe        there;
    stk_train_recipe_init(&there);
    stk_run_folder_path(now->output.folder, "recipe.yaml", path);
    STK_TRY(stk_train_recipe_load(&there, NULL, path, err));
    if (there.train.epochs == now->train.epochs && there.train.steps == now->train.steps)
        return STK_OK;
    return change(trainer, &there, err);
}
