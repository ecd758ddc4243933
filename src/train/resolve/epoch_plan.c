/* Builds the epoch plan of a run. */
#include "train/resolve/epoch_plan.h"
#include <math.h>
#include <stdlib.h>

/* Rises linearly from from at the start to 1 at until, a fraction of the run. */
static double grown(double from, double until, double at)
{
    if (from >= 1 || at >= until) return 1;
    return from + (1 - from) * at / until;
}

static stk_epoch_group epoch_of(const stk_train_recipe *r, const stk_train_data *data, double at)
{
    double  fraction = grown(r->progressive.size_from, r->progressive.size_until, at);
    int64_t unit = r->progressive.size_step;
    int64_t size = (int64_t)floor((double)r->data.size * fraction / (double)unit + 0.5) * unit;
    double  sample = grown(r->progressive.sample_from, r->progressive.sample_until, at);
    int64_t every = (int64_t)floor(1 / sample + 0.5);
    if (fraction >= 1 || size > r->data.size) size = r->data.size;
    if (size < unit) size = unit < r->data.size ? unit : r->data.size;
    int64_t steps = data->train_count / every / r->data.batch;
    return (stk_epoch_group){.epochs = 1,
                             .epoch_steps = steps < 1 ? 1 : steps,
                             .size = size,
                             .subsample = every > 1 ? every : 0,
                             .augment_reduction = 1 - grown(r->progressive.augment_from,
                                                            r->progressive.augment_until, at)};
}

static bool same(const stk_epoch_group *a, const stk_epoch_group *b)
{
    return a->epoch_steps == b->epoch_steps && a->size == b->size && a->subsample == b->subsample &&
           a->augment_reduction == b->augment_reduction;
}

/* Steps of an epoch, up to the rest of the run; the last epoch may be partial. */
static int64_t steps_of(const stk_epoch_group *group, double epochs_left, int64_t steps_left)
{
    const double  part = epochs_left < 1 ? epochs_left : 1;
    const int64_t steps = (int64_t)ceil((double)group->epoch_steps * part);
    return steps < steps_left ? steps : steps_left;
}

/* Appends an epoch: to the last group if it is prepared alike. */
static stk_status add_epoch(stk_epoch_plan *plan, const stk_epoch_group *next, int64_t epoch,
                            int64_t steps, stk_error *err)
{
    stk_epoch_group *last = plan->count ? &plan->groups[plan->count - 1] : NULL;
    if (!last || !same(last, next)) {
        stk_epoch_group *more = realloc(plan->groups, (plan->count + 1) * sizeof *more);
        if (!more) return stk_fail(err, STK_E_NOMEM, "train", NULL, "no memory");
        plan->groups = more;
        last = &plan->groups[plan->count++];
        *last = *next;
        last->first_epoch = epoch;
        last->epochs = 0;
    }
    last->epochs++;
    last->steps += steps;
    plan->steps += steps;
    plan->epochs = epoch + 1;
    return STK_OK;
}

stk_status stk_epoch_plan_make(stk_epoch_plan *plan, const stk_train_recipe *recipe,
                               const stk_train_data *data, stk_error *err)
{
    const double  epochs = recipe->train.epochs;
    const int64_t limit = recipe->train.steps >= 0 ? recipe->train.steps : INT64_MAX;
    stk_status    st = STK_OK;
    *plan = (stk_epoch_plan){0};
    for (int64_t e = 0; (double)e < epochs && plan->steps < limit && !st; e++) {
        const double    left = epochs - (double)e;
        const int64_t   steps_left = limit - plan->steps;
        stk_epoch_group next = epoch_of(recipe, data, (double)e / epochs);
        const int64_t   steps = steps_of(&next, left, steps_left);
        if (left <= 1 || steps == steps_left) next.size = recipe->data.size;
        st = add_epoch(plan, &next, e, steps, err);
    }
    if (st) stk_epoch_plan_release(plan);
    return st;
}

void stk_epoch_plan_release(stk_epoch_plan *plan)
{
    free(plan->groups);
    *plan = (stk_epoch_plan){0};
}
