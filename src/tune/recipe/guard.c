/* What a change may do to learning: nothing but rounding, or for a change of learning no loss of
 * accuracy. */
#include "base/clock.h"
#include "tune/recipe/accuracy.h"
#include "tune/recipe/losses.h"
#include "tune/recipe/recipe_subject.h"
#include <stdlib.h>
#include <string.h>

enum { SEEDS_MAX = 24 };

static const double margin_default = 0.005;
/* Relative differences of a loss: of float32 sums in another order, of 16 bits, of pixels that
 * another decoder gives. */
static const double rounding = 2e-3, coarse = 3e-2;

typedef struct sides {
    stk_train_recipe      before, after;
    const stk_train_data *before_data, *after_data;
} sides;

static bool sets(const stk_tune_candidate *candidate, const char *key)
{
    return stk_tune_setting_get(&candidate->change, key) != NULL;
}

static stk_loss_tolerance tolerance_of(const stk_tune_candidate *candidate, const sides *s)
{
    const stk_precision precision = s->after.train.precision;
    const bool          few_bits = precision != STK_PRECISION_FP32;
    const bool pixels = sets(candidate, "knobs.decode") || sets(candidate, "knobs.augment") ||
                        sets(candidate, "data.resident");
    return (stk_loss_tolerance){.exact = candidate->kind == STK_TUNE_EXACT,
                                .reorders = sets(candidate, "pack.form") ||
                                            sets(candidate, "data.resident"),
                                .relative = few_bits || pixels ? coarse : rounding};
}

static stk_status guard_same(stk_recipe_subject *subject, const stk_tune_candidate *candidate,
                             const sides *s, const char *folder, stk_tune_guard_result *out,
                             stk_error *err)
{
    const stk_cancel        *cancel = subject->options->cancel;
    const stk_loss_run       before = {&s->before, s->before_data, folder, cancel};
    const stk_loss_run       after = {&s->after, s->after_data, folder, cancel};
    const stk_loss_tolerance tolerance = tolerance_of(candidate, s);
    return stk_losses_compare(out, &before, &after, &tolerance, err);
}

static stk_status guard_learning(stk_recipe_subject *subject, const sides *s, const char *folder,
                                 stk_tune_guard_result *out, stk_error *err)
{
    const stk_tune_options    *o = subject->options;
    const stk_accuracy_side    before = {&s->before, s->before_data};
    const stk_accuracy_side    after = {&s->after, s->after_data};
    const stk_accuracy_options how = {.margin = o->margin > 0 ? o->margin : margin_default,
                                      .epochs = subject->guard_epochs,
                                      .seeds = SEEDS_MAX,
                                      .deadline_s = subject->deadline_s,
                                      .folder = folder,
                                      .cancel = o->cancel};
    return stk_accuracy_compare(out, &before, &after, &how, err);
}

static stk_status resolve(stk_recipe_subject *subject, const stk_tune_setting *before,
                          const stk_tune_setting *after, sides *s, stk_error *err)
{
    STK_TRY(
        stk_recipe_settings_resolve(&s->before, &s->before_data, &subject->settings, before, err));
    return stk_recipe_settings_resolve(&s->after, &s->after_data, &subject->settings, after, err);
}

stk_status stk_recipe_guard(stk_recipe_subject *subject, const stk_tune_setting *before,
                            const stk_tune_setting *after, const stk_tune_candidate *candidate,
                            stk_tune_guard_result *out, stk_error *err)
{
    char folder[STK_TRAIN_PATH];
    STK_TRY(stk_recipe_run_folder(folder, subject, err));
    sides *s = malloc(sizeof *s);
    if (!s) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for two recipes");
    stk_status st = resolve(subject, before, after, s, err);
    if (!st)
        st = candidate->kind == STK_TUNE_LEARNING
                 ? guard_learning(subject, s, folder, out, err)
                 : guard_same(subject, candidate, s, folder, out, err);
    free(s);
    return st;
}
