/* Class weights and class-balanced sampling. */
#include "train/input/class_labels.h"
#include "train/input/class_weights.h"
#include "train/resolve/resolve.h"
#include <stdlib.h>
#include <string.h>

/* The classes with the fewest and the most images, among those present. */
typedef struct extremes {
    int64_t min, max, present;
} extremes;

static extremes find_extremes(const stk_train_data *d, const int64_t *counts)
{
    extremes e = {-1, -1, 0};
    for (int64_t c = 0; c < d->classes; c++) {
        if (!counts[c]) continue;
        e.present++;
        if (e.min < 0 || counts[c] < counts[e.min]) e.min = c;
        if (e.max < 0 || counts[c] > counts[e.max]) e.max = c;
    }
    return e;
}

static const char *class_name(const stk_train_data *d, int64_t index)
{
    return d->class_names ? d->class_names[index] : "a class";
}

static stk_status note_balance(stk_resolve_ctx *s, const int64_t *counts, stk_error *err)
{
    const stk_train_data *d = s->data;
    const extremes        e = find_extremes(d, counts);
    const int64_t         each = (d->train_count + e.present - 1) / e.present;
    return stk_resolve_note(
        s, err,
        "balance classes: an epoch has %lld of each of %lld classes, %lld in all; an image "
        "of %s (%lld) comes %.3g times in it, one of %s (%lld) %.3g times",
        (long long)each, (long long)e.present, (long long)(each * e.present), class_name(d, e.min),
        (long long)counts[e.min], (double)each / (double)counts[e.min], class_name(d, e.max),
        (long long)counts[e.max], (double)each / (double)counts[e.max]);
}

static stk_status note_weights(stk_resolve_ctx *s, const float *weights, stk_error *err)
{
    int64_t min = 0, max = 0;
    for (int64_t c = 1; c < s->data->classes; c++) {
        if (weights[c] < weights[min]) min = c;
        if (weights[c] > weights[max]) max = c;
    }
    return stk_resolve_note(s, err, "class weights %.20s: from %.3g (%s) to %.3g (%s)",
                            s->recipe->train.class_weights, (double)weights[min],
                            class_name(s->data, min), (double)weights[max],
                            class_name(s->data, max));
}

static stk_status resolve_weights(stk_resolve_ctx *s, stk_error *err)
{
    float *weights;
    STK_TRY(stk_class_weights(s->recipe, s->data, &weights, err));
    const stk_status st = weights ? note_weights(s, weights, err) : STK_OK;
    free(weights);
    return st;
}

stk_status stk_resolve_balance(stk_resolve_ctx *s, stk_error *err)
{
    const stk_train_recipe *r = s->recipe;
    const bool              drawn = r->data.balance == STK_BALANCE_CLASSES;
    STK_TRY(resolve_weights(s, err));
    if (drawn && *r->data.pipeline)
        return stk_fail(err, STK_E_UNSUPPORTED, "recipe", "data.balance",
                        "data.pipeline has an order of its own; put rejection_resample or "
                        "sample_from into it, or set train.class_weights: balanced");
    if (!drawn || !s->data->labels) return STK_OK;
    if (strcmp(r->train.class_weights, "balanced") == 0)
        STK_TRY(stk_resolve_note(
            s, err,
            "WARNING: data.balance and train.class_weights: balanced both make up for rare "
            "classes, so these count twice; one of the two will do"));
    int64_t *counts = stk_train_count_labels(s->data);
    if (!counts) return stk_fail(err, STK_E_NOMEM, "recipe", "data.balance", "no memory");
    const stk_status st = note_balance(s, counts, err);
    free(counts);
    return st;
}
