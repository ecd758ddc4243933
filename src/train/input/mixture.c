/* Warnings about heterogeneous data: the number of images concerned, and the consequence. */
#include "train/input/mixture.h"
#include <stdarg.h>
#include <stdio.h>
#include <stoker/presets.h>
#include <stoker/source.h>
#include <stoker/text.h>
#include <string.h>

typedef struct warnings {
    const stk_train_recipe *recipe;
    const stk_train_data   *data;
    const stk_preset       *preset;
    stk_blob               *lines;
} warnings;

static stk_status warn(const warnings *w, stk_error *err, const char *format, ...) STK_PRINTF(3, 4);

static stk_status warn(const warnings *w, stk_error *err, const char *format, ...)
{
    static const char begin[] = "WARNING: ";
    char              line[640], shown[sizeof line];
    va_list           args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    (void)stk_text_escape(shown, sizeof shown, line); /* file names may have any bytes */
    STK_TRY(stk_blob_append(w->lines, begin, sizeof begin - 1, err));
    STK_TRY(stk_blob_append(w->lines, shown, strlen(shown), err));
    return stk_blob_append(w->lines, "\n", 1, err);
}

/* Only a sample of the images was examined. */
static const char *looked_at(const warnings *w, char *text, size_t capacity)
{
    const stk_train_survey *s = &w->data->survey;
    snprintf(text, capacity, "%lld images looked at", (long long)(s->looked + s->unreadable));
    return text;
}

static stk_status warn_of_bad(const warnings *w, stk_error *err)
{
    const stk_train_survey *s = &w->data->survey;
    const bool              skip = w->recipe->data.on_bad_sample == STK_ON_BAD_SKIP;
    char                    looked[48];
    if (!s->unreadable) return STK_OK;
    return warn(w, err, "%lld of %s cannot be read (%s); %s", (long long)s->unreadable,
                looked_at(w, looked, sizeof looked), s->bad,
                skip ? "all such images are left out"
                     : "training stops at the first; --on-bad skip leaves such "
                       "images out");
}

static stk_status warn_of_channels(const warnings *w, stk_error *err)
{
    const stk_train_survey *s = &w->data->survey;
    const int64_t           colour = s->looked - s->grey;
    char                    looked[48];
    looked_at(w, looked, sizeof looked);
    if (w->preset->channels == 3 && s->grey && colour)
        return warn(w, err, "%lld of %s are grey; they are used as colour images",
                    (long long)s->grey, looked);
    if (w->preset->channels == 1 && colour)
        return warn(w, err,
                    "%lld of %s are in colour; they are used as grey ones: preset %s, such as "
                    "--preset cifar would keep their colours",
                    (long long)colour, looked, w->preset->name);
    return STK_OK;
}

static stk_status warn_of_sizes(const warnings *w, stk_error *err)
{
    enum { TIMES = 16 }; /* of the area; four times the side */
    const stk_train_survey *s = &w->data->survey;
    const long long         size = w->recipe->data.size;
    if (s->max_width * s->max_height <= TIMES * s->min_width * s->min_height) return STK_OK;
    return warn(
        w, err,
        "images are of very different sizes, from %lldx%lld to %lldx%lld pixels, most about "
        "%lldx%lld; all are resized for an input of %lldx%lld",
        (long long)s->min_width, (long long)s->min_height, (long long)s->max_width,
        (long long)s->max_height, (long long)w->data->width, (long long)w->data->height, size,
        size);
}

static stk_status warn_of_long(const warnings *w, stk_error *err)
{
    if (!(w->data->survey.longest > 3)) return STK_OK;
    return warn(w, err,
                "some images are very long, up to %.1f times as long as broad; they are squeezed, "
                "so that a part of them does not stand for all",
                w->data->survey.longest);
}

/* Reports images that the listing skipped, which would go unnoticed otherwise. */
static stk_status pass_on_notes(const warnings *w, stk_error *err)
{
    const char *note = NULL;
    while (w->data->source && (note = stk_source_next_note(w->data->source, note)))
        STK_TRY(warn(w, err, "%s", note));
    return STK_OK;
}

stk_status stk_mixture_warn(const stk_train_recipe *recipe, const stk_train_data *data,
                            stk_blob *reasons, stk_error *err)
{
    const warnings w = {recipe, data, stk_preset_find(recipe->data.preset), reasons};
    if (!reasons || !w.preset || *recipe->data.pipeline) return STK_OK;
    STK_TRY(pass_on_notes(&w, err));
    STK_TRY(warn_of_bad(&w, err));
    if (!data->survey.looked) return STK_OK;
    STK_TRY(warn_of_channels(&w, err));
    STK_TRY(warn_of_sizes(&w, err));
    return warn_of_long(&w, err);
}
