/* Counts of an evaluation, and the shares that are made of them.
 *
 * Precision, recall and F1 are those of scikit-learn with zero_division=0. Means are over classes
 * that have images: one that has none says nothing of the model. Calibration is the expected error
 * of Guo et al. (2017): bins of equal width, each weighted by its images. */
#include "train/tasks/eval_scores.h"

#include <math.h>
#include <stdlib.h>

static stk_status check(int64_t classes, int bins, stk_error *err)
{
    if (classes >= 1 && bins >= 0 && bins <= STK_EVAL_BINS_MAX) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "evaluate", NULL,
                    "%lld classes and %d bins: at least one class, and at most %d bins",
                    (long long)classes, bins, STK_EVAL_BINS_MAX);
}

stk_status stk_eval_scores_init(stk_evaluation *out, int64_t classes, int bins, stk_error *err)
{
    const bool matrix = classes <= STK_EVAL_CONFUSION_MAX;
    *out = (stk_evaluation){.classes = classes, .bin_count = bins ? bins : STK_EVAL_BINS};
    STK_TRY(check(classes, bins, err));
    out->scores = calloc((size_t)classes, sizeof *out->scores);
    out->bins = calloc((size_t)out->bin_count, sizeof *out->bins);
    if (matrix) out->confusion = calloc((size_t)(classes * classes), sizeof *out->confusion);
    if (out->scores && out->bins && (out->confusion || !matrix)) return STK_OK;
    return stk_fail(err, STK_E_NOMEM, "evaluate", NULL, "no memory for %lld classes",
                    (long long)classes);
}

/* A bin includes its upper edge only. */
static stk_calibration_bin *bin_of(stk_evaluation *e, double confidence)
{
    int bin = (int)ceil(confidence * e->bin_count) - 1;
    if (bin >= e->bin_count) bin = e->bin_count - 1;
    return &e->bins[bin < 0 ? 0 : bin];
}

void stk_eval_scores_add(stk_evaluation *e, int64_t truth, int64_t predicted, double confidence)
{
    stk_calibration_bin *bin = bin_of(e, confidence);
    const bool           right = truth == predicted;
    if (e->confusion) e->confusion[truth * e->classes + predicted]++;
    e->scores[truth].images++;
    e->scores[predicted].predicted++;
    e->scores[truth].right += right;
    bin->images++;
    bin->confidence += confidence;
    bin->accuracy += right;
    e->count++;
    e->accuracy += right;
    e->confidence += confidence;
}

static double fraction(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void finish_classes(stk_evaluation *e)
{
    for (int64_t i = 0; i < e->classes; i++) {
        stk_class_score *s = &e->scores[i];
        s->precision = fraction((double)s->right, (double)s->predicted);
        s->recall = fraction((double)s->right, (double)s->images);
        s->f1 = fraction(2 * (double)s->right, (double)(s->images + s->predicted));
        if (!s->images) continue;
        e->present++;
        e->balanced_accuracy += s->recall;
        e->macro_precision += s->precision;
        e->macro_f1 += s->f1;
    }
    const double present = (double)e->present;
    e->balanced_accuracy = fraction(e->balanced_accuracy, present);
    e->macro_precision = fraction(e->macro_precision, present);
    e->macro_f1 = fraction(e->macro_f1, present);
}

static void finish_bins(stk_evaluation *e)
{
    for (int i = 0; i < e->bin_count; i++) {
        stk_calibration_bin *b = &e->bins[i];
        b->from = (double)i / e->bin_count;
        b->to = (double)(i + 1) / e->bin_count;
        b->confidence = fraction(b->confidence, (double)b->images);
        b->accuracy = fraction(b->accuracy, (double)b->images);
        const double off = fabs(b->confidence - b->accuracy);
        e->expected_error += off * fraction((double)b->images, (double)e->count);
        if (off > e->largest_error) e->largest_error = off;
    }
}

void stk_eval_scores_finish(stk_evaluation *e)
{
    finish_classes(e);
    finish_bins(e);
    e->accuracy = fraction(e->accuracy, (double)e->count);
    e->confidence = fraction(e->confidence, (double)e->count);
}

void stk_evaluation_release(stk_evaluation *evaluation)
{
    free(evaluation->confusion);
    free(evaluation->scores);
    free(evaluation->bins);
    *evaluation = (stk_evaluation){0};
}
