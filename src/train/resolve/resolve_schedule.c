/* Number of epochs, batch size and rates. */
#include "train/resolve/epoch_plan.h"
#include "train/resolve/resolve.h"
#include <math.h>
#include <stoker/schedule.h>
#include <string.h>

static const double TUNING_RATE_SMALL = 0.3, TUNING_RATE_LARGE = 0.1, TUNING_WARM_UP = 0.1;

/* A step should have many images, and an epoch some steps. */
stk_status stk_resolve_batch(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    if (r->data.batch < 0) {
        int64_t batch = r->data.size <= 64 ? 128 : 32;
        while (batch > 8 && s->data->train_count / batch < 8)
            batch /= 2;
        if (batch > s->data->train_count) batch = s->data->train_count;
        r->data.batch = batch;
        STK_TRY(stk_resolve_note(s, err, "batch %lld: %lld images of %lld pixels", (long long)batch,
                                 (long long)s->data->train_count, (long long)r->data.size));
    }
    if (r->data.batch > s->data->train_count)
        return stk_fail(err, STK_E_INVALID, "recipe", "data.batch",
                        "a batch of %lld is more than the %lld images there are to train on; give "
                        "--batch %lld or less, or leave it away",
                        (long long)r->data.batch, (long long)s->data->train_count,
                        (long long)s->data->train_count);
    if (r->data.eval_batch < 0) r->data.eval_batch = r->data.batch;
    return STK_OK;
}

/* Fine-tuning adapts learnt features: a quarter of the epochs, 3 to 15. */
static stk_status resolve_tuning_epochs(stk_resolve_ctx *s, double defaults, stk_error *err)
{
    double epochs = floor(defaults / 4 + 0.5);
    s->recipe->train.epochs = epochs < 3 ? 3 : epochs > 15 ? 15 : epochs;
    return stk_resolve_note(
        s, err, "epochs %g: a quarter of the usual %g, since the weights have learnt already",
        s->recipe->train.epochs, defaults);
}

/* About 600,000 small or 100,000 large images in all, but each image 5 to 60 times. */
stk_status stk_resolve_epochs(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    if (r->train.epochs >= 0) return STK_OK;
    double sum = r->data.size <= 64 ? 600e3 : 100e3;
    double epochs = floor(sum / (double)(s->data->train_count + 1) + 0.5);
    r->train.epochs = epochs < 5 ? 5 : epochs > 60 ? 60 : epochs;
    if (s->tunes) return resolve_tuning_epochs(s, r->train.epochs, err);
    return stk_resolve_note(s, err, "epochs %g: %lld images", r->train.epochs,
                            (long long)s->data->train_count);
}

static bool is_adaptive(const stk_train_recipe *r)
{
    return r->train.optimizer == STK_OPTIMIZER_ADAMW || r->train.optimizer == STK_OPTIMIZER_LAMB;
}

/* A new last layer learns at the default rate, which would destroy pretrained features in the first
 * steps. On 500 images of 5 classes of CIFAR-10 after 10,000 of 5 others: 55 % with all layers at a
 * tenth of the rate, 65 % with all but the last at a tenth, 67 % with these at 0.3. Networks for
 * large images saw more data and should change less. */
static stk_status resolve_tuning_rate(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    const bool        frozen = strcmp(r->train.freeze, "backbone") == 0;
    STK_TRY(stk_resolve_note(s, err, "learning rate %g: the usual one, %s", r->train.learning_rate,
                             frozen ? "since only the last layer learns" : "for the last layer"));
    if (frozen || r->train.backbone_rate >= 0) return STK_OK;
    r->train.backbone_rate = r->data.size > 64 ? TUNING_RATE_LARGE : TUNING_RATE_SMALL;
    return stk_resolve_note(
        s, err, "backbone rate %g: times that for all other layers, to keep what they know",
        r->train.backbone_rate);
}

/* Published rates are for a summed loss, and independent of the momentum. */
static stk_status resolve_published_rate(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    double            batch = (double)(r->data.batch * r->train.accumulate);
    bool              decide = r->train.learning_rate < 0 && r->train.momentum < 1;
    if (decide)
        r->train.learning_rate = s->own->rate * batch / 1024 / (1 + 1 / (1 - r->train.momentum));
    if (r->train.weight_decay < 0) r->train.weight_decay = s->own->decay / s->own->rate;
    if (!decide) return STK_OK;
    if (s->tunes) return resolve_tuning_rate(s, err);
    return stk_resolve_note(
        s, err, "learning rate %g: %g of %s's recipe for batch %g and momentum %g",
        r->train.learning_rate, s->own->rate, s->own->model, batch, r->train.momentum);
}

/* Linear in the batch size as far as that holds. A small network with batch norm learns fastest
 * with adamw at a large rate: 91.8 % on Fashion-MNIST after 6 epochs, against 91.1 to 91.5 % with
 * nesterov. */
stk_status stk_resolve_optimizer(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    bool small = strcmp(r->model.name, "cnn") == 0, vit = strncmp(r->model.name, "vit", 3) == 0;
    if (r->train.optimizer == STK_OPTIMIZER_AUTO)
        r->train.optimizer = vit || small ? STK_OPTIMIZER_ADAMW : STK_OPTIMIZER_NESTEROV;
    if (r->train.momentum < 0) r->train.momentum = 0.9;
    if (s->own && !is_adaptive(r)) STK_TRY(resolve_published_rate(s, err));
    double scale = (double)(r->data.batch * r->train.accumulate) / 128;
    if (scale > 8) scale = 8;
    if (r->train.learning_rate < 0) {
        r->train.learning_rate = is_adaptive(r)                             ? 1e-3 * sqrt(scale)
                                 : r->train.optimizer == STK_OPTIMIZER_LARS ? 1.0 * scale
                                                                            : 0.1 * scale;
        STK_TRY(s->tunes ? resolve_tuning_rate(s, err)
                         : stk_resolve_note(
                               s, err,
                               "learning rate %g: %s with batch %lld; `stoker lr-find` measures it",
                               r->train.learning_rate, stk_train_recipe_word(r, "train.optimizer"),
                               (long long)r->data.batch));
    }
    if (r->train.weight_decay < 0) r->train.weight_decay = is_adaptive(r) ? 0.05 : 5e-4;
    if (r->train.decay == STK_DECAY_AUTO) r->train.decay = STK_DECAY_WEIGHTS;
    return STK_OK;
}

/* Epochs that are trained: fewer than the key if train.steps ends before. */
static double total_epochs(const stk_resolve_ctx *s)
{
    const stk_train_recipe *r = s->recipe;
    const double epoch = fmax(1, floor((double)s->data->train_count / (double)r->data.batch));
    return r->train.steps >= 0 ? fmin(r->train.epochs, (double)r->train.steps / epoch)
                               : r->train.epochs;
}

stk_status stk_resolve_schedule(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe    *r = s->recipe;
    stk_schedule_options defaults;
    if (r->train.schedule == STK_SCHEDULE_AUTO)
        r->train.schedule = s->tunes ? STK_SCHEDULE_COSINE : STK_SCHEDULE_ONE_CYCLE;
    STK_TRY(stk_schedule_defaults(&defaults, stk_train_recipe_word(r, "train.schedule"), err));
    if (r->train.rise_fraction < 0) r->train.rise_fraction = defaults.rise_fraction;
    if (r->train.start_factor < 0) r->train.start_factor = defaults.start_factor;
    if (r->train.end_factor < 0) r->train.end_factor = defaults.end_factor;
    if (r->train.warmup_epochs < 0) {
        bool own = defaults.rise_fraction > 0 || r->train.schedule == STK_SCHEDULE_CONSTANT;
        r->train.warmup_epochs = own        ? 0
                                 : s->tunes ? TUNING_WARM_UP * total_epochs(s)
                                            : 0.05 * total_epochs(s);
        if (s->tunes && !own)
            return stk_resolve_note(
                s, err, "warm-up %g epochs: the first gradients of a new last layer are large",
                r->train.warmup_epochs);
    }
    return STK_OK;
}

void stk_resolve_steps(stk_resolve_ctx *s)
{
    stk_train_recipe *r = s->recipe;
    int64_t           epoch = s->data->train_count / r->data.batch;
    if (epoch < 1) epoch = 1;
    if (r->train.steps < 0) r->train.steps = (int64_t)ceil(r->train.epochs * (double)epoch);
    if (r->output.log_every < 0) r->output.log_every = epoch < 50 ? 1 : epoch / 50;
}

/* Progressive sizes need a network that accepts them, and enough epochs. */
stk_status stk_resolve_progressive(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    stk_epoch_plan    plan;
    if (r->progressive.size_from >= 1) return STK_OK;
    STK_TRY(stk_epoch_plan_make(&plan, r, s->data, err));
    stk_status st = stk_epoch_plan_check_model(&plan, r, err);
    if (!st && plan.count == 1)
        st = stk_resolve_note(
            s, err, "WARNING: images do not grow: %lld epoch%s, and the last is at full size",
            (long long)plan.epochs, plan.epochs == 1 ? "" : "s");
    else if (!st && plan.count)
        st = stk_resolve_note(s, err,
                              "progressive: images grow from %lld to %lld pixels in %zu phases",
                              (long long)plan.groups[0].size,
                              (long long)plan.groups[plan.count - 1].size, plan.count);
    stk_epoch_plan_release(&plan);
    return st;
}
