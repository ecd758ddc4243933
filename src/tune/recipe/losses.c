/* Losses of the first steps. Later ones tell less: training makes any rounding large in time. */
#include "tune/recipe/losses.h"
#include "tune/recipe/remove_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/trainer.h>

enum { STEPS = 12, STEPS_OF_MEANS = 60, STEPS_MIN = 2 };

/* Two means of so many losses differ by chance by less than this many standard errors. */
static const double errors_allowed = 4;

typedef struct losses {
    int        wanted, count;
    double     list[STEPS_OF_MEANS];
    stk_cancel stop;
} losses;

static void on_step(void *context, const stk_train_progress *progress)
{
    losses *l = context;
    if (l->count < l->wanted) l->list[l->count++] = progress->loss;
    if (l->count == l->wanted) stk_cancel_request(&l->stop);
}

static stk_status train(losses *l, const stk_train_recipe *recipe, const stk_train_data *data,
                        stk_error *err)
{
    const stk_callback        callback = {.name = "losses", .on_step = on_step, .context = l};
    const stk_trainer_options how = {
        .callbacks = &callback, .callback_count = 1, .cancel = &l->stop, .brief = true};
    stk_trainer     *trainer;
    stk_train_result result;
    STK_TRY(stk_trainer_open(&trainer, recipe, data, &how, err));
    const stk_status st = stk_trainer_run(trainer, &result, err);
    stk_trainer_free(trainer);
    return st;
}

/* A report every step makes a loss every step. */
static stk_status run(losses *l, const stk_loss_run *of, int steps, stk_error *err)
{
    stk_train_recipe recipe = *of->recipe;
    stk_train_data   data = *of->data;
    *l = (losses){.wanted = steps};
    STK_TRY(stk_cancel_check(of->cancel, "tune", err));
    data.validation_count = 0;
    recipe.output.log_every = 1;
    recipe.output.checkpoint_every = 0;
    STK_TRY(stk_train_recipe_set(&recipe, "output.folder", of->folder, "tune", err));
    const stk_status st = train(l, &recipe, &data, err);
    stk_tune_remove_folder(of->folder);
    if (st || l->count >= STEPS_MIN) return st;
    return stk_fail(err, STK_E_RANGE, "tune", recipe.data.path,
                    "training ended after %d steps: too few to compare what is learnt", l->count);
}

/* The largest difference of a step's loss, relative to it. */
static double distance(const losses *a, const losses *b, int *step)
{
    double largest = 0;
    *step = 0;
    for (int i = 0; i < a->count; i++) {
        const double scale = fmax(fabs(a->list[i]), 1e-3);
        const double apart = fabs(a->list[i] - b->list[i]) / scale;
        if (apart > largest || isnan(apart)) {
            largest = isnan(apart) ? INFINITY : apart;
            *step = i;
        }
    }
    return largest;
}

static void mean_of(const losses *l, double *mean, double *error)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < l->count; i++)
        sum += l->list[i];
    *mean = sum / l->count;
    for (int i = 0; i < l->count; i++)
        squares += (l->list[i] - *mean) * (l->list[i] - *mean);
    *error = sqrt(squares / (l->count - 1) / l->count);
}

static void judge_means(stk_tune_guard_result *out, const losses *a, const losses *b)
{
    double one, other, one_error, other_error;
    mean_of(a, &one, &one_error);
    mean_of(b, &other, &other_error);
    const double allowed = errors_allowed * hypot(one_error, other_error) + 1e-3 * fabs(one);
    out->passed = fabs(one - other) <= allowed; /* false for NaN */
    snprintf(out->reason, sizeof out->reason,
             "the samples come in another order; mean losses of %d steps are %.4g and %.4g, which "
             "may differ by %.2g",
             a->count, one, other, allowed);
}

static void judge_steps(stk_tune_guard_result *out, const losses *a, const losses *b,
                        double allowed)
{
    int          step;
    const double apart = distance(a, b, &step);
    out->passed = apart <= allowed;
    if (apart == 0)
        snprintf(out->reason, sizeof out->reason, "the same losses, bit by bit, over %d steps",
                 a->count);
    else
        snprintf(out->reason, sizeof out->reason,
                 "losses of %d steps differ by %.2g of themselves at most (step %d: %.6g, %.6g); "
                 "%.2g is allowed",
                 a->count, apart, step + 1, a->list[step], b->list[step], allowed);
}

/* A setting that does not repeat its own bits cannot be asked to repeat another's. */
static stk_status own_distance(const stk_loss_run *before, const losses *first, double *out,
                               stk_error *err)
{
    losses again;
    int    step;
    STK_TRY(run(&again, before, first->count, err));
    *out = distance(first, &again, &step);
    return STK_OK;
}

stk_status stk_losses_compare(stk_tune_guard_result *out, const stk_loss_run *before,
                              const stk_loss_run *after, const stk_loss_tolerance *tolerance,
                              stk_error *err)
{
    const int steps = tolerance->reorders ? STEPS_OF_MEANS : STEPS;
    double    allowed = tolerance->exact ? 0 : tolerance->relative, own = 0;
    losses    a, b;
    STK_TRY(run(&a, before, steps, err));
    STK_TRY(run(&b, after, a.count, err));
    if (b.count < a.count) {
        *out = (stk_tune_guard_result){.passed = false};
        snprintf(out->reason, sizeof out->reason, "it trains %d steps, not %d", b.count, a.count);
        return STK_OK;
    }
    if (tolerance->reorders) {
        judge_means(out, &a, &b);
        return STK_OK;
    }
    if (tolerance->exact) STK_TRY(own_distance(before, &a, &own, err));
    judge_steps(out, &a, &b, fmax(allowed, 4 * own));
    return STK_OK;
}
