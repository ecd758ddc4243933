/* Evaluates a trained model on any data. */
#include "base/clock.h"
#include "train/session/session.h"
#include "train/tasks/eval_data.h"
#include "train/tasks/eval_scores.h"
#include "train/tasks/predictor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_CHARS_MAX = 4096 };

typedef struct evaluating {
    stk_predictor              *predictor;
    const stk_evaluate_options *options;
    stk_eval_data               from;
    stk_loader                 *loader;
    stk_evaluation             *out;
    int64_t                     classes;
    int64_t                    *labels;        /* of a batch, as the run's classes */
    float                      *probabilities; /* of an image */
    char                        file[PATH_CHARS_MAX];
} evaluating;

static const char *file_of(evaluating *e, int64_t row, int64_t *record)
{
    const stk_bytes file = stk_loader_origin(e->loader, row, record);
    snprintf(e->file, sizeof e->file, "%.*s", (int)file.size, (const char *)file.data);
    return e->file;
}

static const char *where(evaluating *e, int64_t row, char *text, size_t capacity)
{
    int64_t     record;
    const char *file = file_of(e, row, &record);
    snprintf(text, capacity, "%.200s: record %lld", file, (long long)record);
    return text;
}

static stk_status match_labels(evaluating *e, const stk_loader_batch *batch, stk_error *err)
{
    const int64_t *labels = batch->labels;
    char           text[256];
    for (int64_t i = 0; i < batch->rows; i++) {
        e->labels[i] = stk_class_match_label(&e->from.match, labels[i]);
        if (e->labels[i] < 0)
            return stk_fail(err, STK_E_RANGE, "classes", where(e, i, text, sizeof text),
                            "its class has number %lld, but the run has %lld classes, from 0",
                            (long long)labels[i], (long long)e->classes);
    }
    return STK_OK;
}

/* The most probable class; ties go to the first, as in training metrics. */
static int64_t judge(evaluating *e, const float *logits)
{
    int64_t best = 0;
    for (int64_t i = 1; i < e->classes; i++)
        if (logits[i] > logits[best]) best = i;
    stk_predictor_softmax(logits, e->classes, e->probabilities);
    return best;
}

static stk_status call_image(evaluating *e, const stk_loader_batch *batch, int64_t row,
                             int64_t predicted, stk_error *err)
{
    const stk_shape     shape = stk_loader_shape(e->loader);
    stk_evaluated_image image = {.truth = e->labels[row],
                                 .predicted = predicted,
                                 .probabilities = e->probabilities,
                                 .pixels = batch->images +
                                           row * shape.dim[1] * shape.dim[2] * shape.dim[3],
                                 .size = shape.dim[1],
                                 .channels = shape.dim[3]};
    image.file = file_of(e, row, &image.record);
    return e->options->image(e->options->image_context, &image, err);
}

static stk_status count_batch(evaluating *e, const stk_loader_batch *batch, const float *logits,
                              stk_error *err)
{
    char text[256];
    for (int64_t i = 0; i < batch->rows; i++) {
        const int64_t best = judge(e, logits + i * e->classes);
        const double  confidence = (double)e->probabilities[best];
        if (!(confidence > 0))
            return stk_fail(err, STK_E_RANGE, "evaluate", where(e, i, text, sizeof text),
                            "the model's result is not finite: its weights are broken");
        stk_eval_scores_add(e->out, e->labels[i], best, confidence);
        if (e->options->image) STK_TRY(call_image(e, batch, i, best, err));
    }
    return STK_OK;
}

static stk_status evaluate_all(evaluating *e, stk_error *err)
{
    stk_session  *session = stk_predictor_session(e->predictor);
    float        *logits = stk_predictor_logits(e->predictor);
    const int64_t size = e->from.recipe.data.size;
    stk_metrics   m;
    stk_session_clear_metrics(session, true);
    for (;;) {
        stk_loader_batch batch;
        STK_TRY(stk_loader_next(e->loader, &batch, err));
        if (!batch.rows) break;
        STK_TRY(match_labels(e, &batch, err));
        const stk_loader_batch matched = {batch.rows, batch.images, e->labels, NULL};
        STK_TRY(stk_session_evaluate(session, &matched, size, logits, err));
        STK_TRY(count_batch(e, &batch, logits, err));
    }
    STK_TRY(stk_session_metrics(session, true, false, &m, err));
    const double count = m.count > 0 ? (double)m.count : 1;
    e->out->loss = (double)m.loss / count;
    e->out->top5 = (double)m.top5 / count;
    return STK_OK;
}

static stk_status run(evaluating *e, stk_error *err)
{
    const size_t rows = (size_t)stk_predictor_recipe(e->predictor)->data.eval_batch;
    STK_TRY(stk_eval_scores_init(e->out, e->classes, e->options->bins, err));
    e->labels = calloc(rows, sizeof *e->labels);
    e->probabilities = calloc((size_t)e->classes, sizeof *e->probabilities);
    if (!e->labels || !e->probabilities)
        return stk_fail(err, STK_E_NOMEM, "evaluate", NULL, "no memory for a batch");
    STK_TRY(stk_eval_data_open(&e->from, e->predictor, e->options, err));
    e->out->matched = e->from.match.rule;
    snprintf(e->out->split, sizeof e->out->split, "%s",
             e->from.split ? e->from.split : e->from.data.validation_split);
    e->out->splits = (int64_t)e->from.splits;
    e->out->outside = e->from.outside;
    e->out->held_back = !e->from.split && e->from.data.validation_fraction > 0;
    STK_TRY(stk_eval_data_loader(&e->from, e->options, &e->loader, err));
    return evaluate_all(e, err);
}

stk_status stk_predictor_evaluate(stk_predictor *predictor, const stk_evaluate_options *options,
                                  stk_evaluation *out, stk_error *err)
{
    static const stk_evaluate_options defaults = {0};
    const uint64_t                    begin = stk_clock_ns();
    evaluating                        e = {.predictor = predictor,
                                           .options = options ? options : &defaults,
                                           .out = out,
                                           .classes = stk_predictor_classes(predictor)};
    const stk_status                  st = run(&e, err);
    stk_loader_free(e.loader);
    stk_eval_data_release(&e.from);
    free(e.labels);
    free(e.probabilities);
    if (st) {
        stk_evaluation_release(out);
        return st;
    }
    stk_eval_scores_finish(out);
    out->skipped = e.from.listed < out->count ? -1 : e.from.listed - out->count;
    out->seconds = (double)(stk_clock_ns() - begin) / 1e9;
    if (out->seconds > 0) out->images_per_second = (double)out->count / out->seconds;
    return STK_OK;
}
