/* Splits, and the preprocessing of images. */
#include "storage/file/split_name.h"
#include "train/resolve/resolve.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_SIDE = 40 };

static int64_t largest_side(const stk_train_data *data)
{
    return data->width > data->height ? data->width : data->height;
}

stk_status stk_resolve_rare_class(stk_resolve_ctx *s, stk_error *err)
{
    const stk_train_data *d = s->data;
    const char           *name = d->class_names ? d->class_names[d->rare_class] : "?";
    char                  others[64] = "";
    if (d->rare_count < 0 || d->rare_count >= STK_TRAIN_FEW) return STK_OK;
    if (d->rare_classes > 1)
        snprintf(others, sizeof others, "; so it is with %lld more",
                 (long long)d->rare_classes - 1);
    if (!d->rare_count)
        return stk_resolve_note(
            s, err,
            "WARNING: class %s has no image in %s, so it cannot be learnt (names that "
            "differ in one letter or its case are different classes)%s",
            name, d->train_split, others);
    return stk_resolve_note(s, err,
                            "WARNING: class %s has %lld image%s, so it can hardly be learnt%s",
                            name, (long long)d->rare_count, d->rare_count == 1 ? "" : "s", others);
}

static stk_status warn_of_splits(stk_resolve_ctx *s, stk_error *err)
{
    const stk_train_data *d = s->data;
    const stk_split_role  role = stk_split_role_of(d->train_split, strlen(d->train_split));
    if (!*s->recipe->data.split && (role == STK_SPLIT_VALIDATION || role == STK_SPLIT_TEST))
        STK_TRY(stk_resolve_note(
            s, err, "WARNING: no split is there to learn from, such as train, so %s is learnt from",
            d->train_split));
    if (!*d->unused_splits) return STK_OK;
    return stk_resolve_note(s, err, "WARNING: of the data this is not used: split %s",
                            d->unused_splits);
}

/* Stored in the recipe, so that a resumed run uses the same validation data. */
stk_status stk_resolve_splits(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe     *r = s->recipe;
    const stk_train_data *d = s->data;
    const bool            decide = !*r->data.validation;
    STK_TRY(warn_of_splits(s, err));
    if (*d->train_split) stk_resolve_put(r->data.split, d->train_split);
    if (d->validation_fraction > 0 && decide)
        snprintf(r->data.validation, sizeof r->data.validation, "%g", d->validation_fraction);
    else if (!(d->validation_fraction > 0))
        stk_resolve_put(r->data.validation, *d->validation_split ? d->validation_split : "none");
    if (!decide) return STK_OK;
    if (d->validation_fraction > 0)
        return stk_resolve_note(
            s, err,
            "validation: one of %.0f images of %s is held back, since no split is there "
            "for it; data.validation says otherwise",
            1 / d->validation_fraction, d->train_split);
    if (!d->validation_count)
        return stk_resolve_note(s, err,
                                "validation none: %lld images are too few to hold some back",
                                (long long)d->train_count);
    return stk_resolve_note(s, err, "validation %s: the best model is chosen by it",
                            d->validation_split);
}

static stk_status choose_preset(stk_resolve_ctx *s, stk_error *err)
{
    const stk_train_data *d = s->data;
    char                  looked[64] = "images";
    if (d->survey.looked)
        snprintf(looked, sizeof looked, "most of the %lld images looked at",
                 (long long)d->survey.looked);
    stk_resolve_put(s->recipe->data.preset, largest_side(d) > SMALL_SIDE ? "imagenet"
                                            : d->channels == 1           ? "fashion"
                                                                         : "cifar");
    return stk_resolve_note(s, err, "preset %s: %s are about %lldx%lld, %s", s->recipe->data.preset,
                            looked, (long long)d->width, (long long)d->height,
                            d->channels == 1 ? "grey" : "in colour");
}

/* Small images keep their size. Photos get the preset's size, but are not enlarged to it: that
 * would cost time and add no detail. */
static int64_t choose_size(const stk_resolve_ctx *s)
{
    enum { STEP = 32 };
    enum { ASPECT_MAX = 3 }; /* aspect ratio that the photo preset accepts */
    const stk_train_data *d = s->data;
    const int64_t         side = largest_side(d);
    const double          squeezed = sqrt((double)(d->width * d->height) / ASPECT_MAX);
    int64_t               shorter = d->width < d->height ? d->width : d->height;
    if (shorter * ASPECT_MAX < side) shorter = (int64_t)squeezed;
    if (side <= 0) return s->preset->size;
    if (s->preset->size <= SMALL_SIDE)
        return side <= SMALL_SIDE && d->width == d->height ? side : s->preset->size;
    const int64_t near = (shorter + STEP / 2) / STEP * STEP;
    return near < STEP ? STEP : near < s->preset->size ? near : s->preset->size;
}

stk_status stk_resolve_preset(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    if (!*r->data.preset) STK_TRY(choose_preset(s, err));
    s->preset = stk_preset_find(r->data.preset);
    if (!s->preset)
        return stk_fail(err, STK_E_INVALID, "recipe", "data.preset",
                        "there is no preset \"%s\"; there are imagenet, cifar, cifar-shift and "
                        "fashion",
                        r->data.preset);
    if (r->data.size > 0) return STK_OK;
    r->data.size = choose_size(s);
    return stk_resolve_note(s, err, "size %lld: %s", (long long)r->data.size,
                            r->data.size == s->preset->size ? "the preset's"
                                                            : "about as the images are");
}
