/* Learning-rate finder: an exponential ramp with a smoothed loss. */
#include "train/saved/pretrained.h"
#include "train/session/session.h"
#include <math.h>
#include <stdlib.h>
#include <stoker/lr_finder.h>

static stk_lr_options with_defaults(const stk_lr_options *options)
{
    stk_lr_options o = options ? *options : (stk_lr_options){0};
    if (o.from <= 0) o.from = 1e-5;
    if (o.to <= 0) o.to = 10;
    if (o.steps <= 0) o.steps = 100;
    if (o.smoothing <= 0) o.smoothing = 0.95;
    if (o.stop_at <= 0) o.stop_at = 4;
    return o;
}

/* Exponential average with bias correction. */
static double smooth(double *average, double beta, double loss, int64_t step)
{
    *average = beta * *average + (1 - beta) * loss;
    return *average / (1 - pow(beta, (double)step + 1));
}

static stk_status ramp(stk_session *session, stk_loader *loader, const stk_train_recipe *recipe,
                       const stk_lr_options *o, stk_lr_result *out, stk_error *err)
{
    double average = 0, best = INFINITY;
    for (int64_t i = 0; i < o->steps; i++) {
        stk_loader_batch       batch;
        stk_instruction_result done;
        double                 fraction = o->steps > 1 ? (double)i / (double)(o->steps - 1) : 0;
        stk_instruction_input  input = {.size = recipe->data.size,
                                        .step = i,
                                        .now = {.rate = o->from * pow(o->to / o->from, fraction),
                                                .momentum = recipe->train.momentum},
                                        .update = true};
        if (o->cancel && stk_cancel_requested(o->cancel))
            return stk_fail(err, STK_E_CANCELLED, "lr-find", NULL, "stopped");
        STK_TRY(stk_loader_next(loader, &batch, err));
        STK_TRY(stk_session_step(session, &batch, &input, NULL, err));
        STK_TRY(stk_session_result(session, NULL, &done, err));
        out->diverged = !isfinite(done.loss);
        if (out->diverged) return STK_OK;
        double smoothed = smooth(&average, o->smoothing, (double)done.loss, i);
        out->points[out->count++] = (stk_lr_point){input.now.rate, (double)done.loss, smoothed};
        if (o->progress)
            o->progress(o->progress_context, i + 1, o->steps, input.now.rate, smoothed);
        if (smoothed < best) best = smoothed;
        out->diverged = smoothed > o->stop_at * best;
        if (out->diverged) return STK_OK;
    }
    return STK_OK;
}

static stk_status find(const stk_train_recipe *recipe, const stk_train_data *data,
                       const stk_lr_options *o, stk_lr_result *out, stk_error *err)
{
    stk_session             *session = NULL;
    stk_loader              *loader = NULL;
    const stk_loader_options options = {.recipe = recipe,
                                        .data = data,
                                        .size = recipe->data.size,
                                        .seed = (uint64_t)recipe->train.seed + 1,
                                        .cancel = o->cancel};
    stk_status               st = stk_session_open(&session, recipe, true, o->cancel, err);
    if (!st) st = stk_session_weigh(session, data, err);
    if (!st) st = stk_session_ready(session, recipe->data.size, err);
    if (!st)
        st = stk_pretrained_load(recipe, data, stk_session_variables(session), NULL, NULL, err);
    if (!st) st = stk_loader_open(&loader, &options, err);
    if (!st) st = ramp(session, loader, recipe, o, out, err);
    stk_session_drain(session);
    stk_loader_free(loader);
    stk_session_free(session);
    return st;
}

stk_status stk_lr_find(const stk_train_recipe *recipe, const stk_train_data *data,
                       const stk_lr_options *options, stk_lr_result *out, stk_error *err)
{
    stk_lr_options   o = with_defaults(options);
    stk_train_recipe plain = *recipe;
    *out = (stk_lr_result){0};
    plain.train.accumulate = 1;
    plain.train.ema = 0;
    if (!(o.from < o.to))
        return stk_fail(err, STK_E_INVALID, "lr-find", NULL, "from %g to %g is no ramp", o.from,
                        o.to);
    out->points = calloc((size_t)o.steps, sizeof *out->points);
    if (!out->points)
        return stk_fail(err, STK_E_NOMEM, "lr-find", NULL, "no memory for %lld points",
                        (long long)o.steps);
    stk_status st = find(&plain, data, &o, out, err);
    if (st)
        stk_lr_result_release(out);
    else
        stk_lr_suggest(out);
    return st;
}

void stk_lr_result_release(stk_lr_result *result)
{
    free(result->points);
    *result = (stk_lr_result){0};
}
