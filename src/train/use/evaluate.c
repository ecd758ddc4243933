/* How good a trained model is on any data. */
#include "base/clock.h"
#include "train/session/session.h"
#include "train/use/predictor.h"
#include <stdlib.h>
#include <string.h>

enum { CONFUSION_MOST = 1000 };

static int64_t best_of(const float *logits, int64_t count)
{
    int64_t best = 0;
    for (int64_t i = 1; i < count; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

static stk_status run(stk_predictor *p, stk_feed *feed, stk_evaluation *out, stk_error *err)
{
    stk_session            *session = stk_predictor_session(p);
    const stk_train_recipe *r = stk_predictor_recipe(p);
    float                  *logits = stk_predictor_logits(p);
    stk_feed_batch          batch;
    stk_metrics             m;
    stk_session_clear_metrics(session, true);
    for (;;) {
        STK_TRY(stk_feed_next(feed, &batch, err));
        if (!batch.rows) break;
        STK_TRY(stk_session_evaluate(session, &batch, r->data.size, out->confusion ? logits : NULL,
                                     err));
        const int64_t *labels = batch.labels;
        for (int64_t i = 0; out->confusion && i < batch.rows; i++)
            out->confusion[labels[i] * out->classes +
                           best_of(logits + i * out->classes, out->classes)]++;
    }
    STK_TRY(stk_session_metrics(session, true, false, &m, err));
    double count = m.count > 0 ? (double)m.count : 1;
    out->count = (int64_t)m.count;
    out->loss = (double)m.loss / count;
    out->accuracy = (double)m.correct / count;
    out->top5 = (double)m.top5 / count;
    return STK_OK;
}

/* Of other data: what is there to evaluate on, else all. */
static const char *other_split(const stk_train_data *data)
{
    if (data->test_count) return data->test_split;
    return data->validation_count && data->validation_share == 0 ? data->validation_split
                                                                 : data->train_split;
}

/* The split: the one asked for; else of the recipe's own data its validation part. */
static stk_status open_feed(stk_predictor *p, const char *path, const char *split,
                            const stk_cancel *cancel, stk_train_data *data, stk_feed **out,
                            stk_error *err)
{
    stk_train_recipe recipe = *stk_predictor_recipe(p);
    if (path) {
        strncpy(recipe.data.path, path, sizeof recipe.data.path - 1);
        recipe.data.split[0] = recipe.data.kind[0] = recipe.data.test[0] = 0;
        recipe.data.validation[0] = 0;
    }
    STK_TRY(stk_train_look(data, &recipe, err));
    const stk_feed_options options = {.recipe = stk_predictor_recipe(p),
                                      .data = data,
                                      .evaluate = true,
                                      .size = recipe.data.size,
                                      .seed = 1,
                                      .path = path,
                                      .split = split                    ? split
                                               : path                   ? other_split(data)
                                               : data->validation_count ? NULL
                                                                        : data->train_split,
                                      .cancel = cancel};
    return stk_feed_open(out, &options, err);
}

stk_status stk_predictor_evaluate(stk_predictor *predictor, const char *data, const char *split,
                                  const stk_cancel *cancel, stk_evaluation *out, stk_error *err)
{
    stk_train_data what = {0};
    stk_feed      *feed = NULL;
    int64_t        classes = stk_predictor_classes(predictor);
    *out = (stk_evaluation){.classes = classes};
    uint64_t begin = stk_clock_ns();
    if (classes <= CONFUSION_MOST) {
        out->confusion = calloc((size_t)(classes * classes), sizeof *out->confusion);
        if (!out->confusion)
            return stk_fail(err, STK_E_NOMEM, "evaluate", NULL, "no memory for %lld classes",
                            (long long)classes);
    }
    stk_status st = open_feed(predictor, data, split, cancel, &what, &feed, err);
    if (!st) st = run(predictor, feed, out, err);
    stk_feed_free(feed);
    stk_train_data_release(&what);
    out->seconds = (double)(stk_clock_ns() - begin) / 1e9;
    if (out->seconds > 0) out->images_per_second = (double)out->count / out->seconds;
    if (st) stk_evaluation_release(out);
    return st;
}

void stk_evaluation_release(stk_evaluation *evaluation)
{
    free(evaluation->confusion);
    *evaluation = (stk_evaluation){0};
}
