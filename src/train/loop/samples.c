/* Sample images of a run. */
#include "train/loop/samples.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct stk_samples {
    const stk_train_recipe *recipe;
    const stk_train_data   *data;
    /* the training thread's: of the current evaluation */
    stk_train_samples seen;
    stk_edit          edits[STK_TRAIN_SAMPLES]; /* of resident images */
    bool              by_edits;
    int64_t           row;   /* the next row */
    stk_blob          drawn; /* their images, the same in every evaluation */

    pthread_mutex_t   lock; /* protects the following fields */
    stk_train_samples sets[2];
};

stk_status stk_samples_new(stk_samples **out, const stk_train_recipe *recipe,
                           const stk_train_data *data, stk_error *err)
{
    stk_samples *s = calloc(1, sizeof *s);
    *out = s;
    if (!s) return stk_fail(err, STK_E_NOMEM, "samples", NULL, "no memory");
    s->recipe = recipe;
    s->data = data;
    pthread_mutex_init(&s->lock, NULL);
    stk_blob_init(&s->seen.pixels, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&s->drawn, NULL, STK_MEMORY_OUTPUT);
    for (int i = 0; i < 2; i++)
        stk_blob_init(&s->sets[i].pixels, NULL, STK_MEMORY_OUTPUT);
    return STK_OK;
}

void stk_samples_free(stk_samples *samples)
{
    if (!samples) return;
    pthread_mutex_destroy(&samples->lock);
    stk_train_samples_release(&samples->seen);
    stk_train_samples_release(&samples->sets[0]);
    stk_train_samples_release(&samples->sets[1]);
    stk_blob_release(&samples->drawn);
    free(samples);
}

void stk_train_samples_release(stk_train_samples *samples)
{
    stk_blob_release(&samples->pixels);
    samples->count = 0;
}

/* Swaps made with the published samples, whose buffers made then reuses. */
static void publish(stk_samples *s, bool validation, stk_train_samples *made)
{
    pthread_mutex_lock(&s->lock);
    const stk_train_samples before = s->sets[validation];
    s->sets[validation] = *made;
    pthread_mutex_unlock(&s->lock);
    *made = before;
}

/* A label, or the two largest weights of a mixed one. */
static stk_train_sample read_label(const stk_samples *s, const stk_loader_batch *batch, int64_t row,
                                   bool soft)
{
    stk_train_sample one = {.second = -1, .fraction = 1, .predicted = -1};
    if (!soft) {
        one.label = ((const int64_t *)batch->labels)[row];
        return one;
    }
    const int64_t classes = s->recipe->model.classes;
    const float  *fractions = (const float *)batch->labels + row * classes;
    for (int64_t i = 1; i < classes; i++) {
        const int64_t first = fractions[i] > fractions[one.label] ? i : one.label;
        const int64_t other = first == i ? one.label : i;
        if (one.second < 0 || fractions[other] > fractions[one.second]) one.second = other;
        one.label = first;
    }
    one.fraction = (double)fractions[one.label];
    if (one.second >= 0 && !(fractions[one.second] > 0)) one.second = -1;
    return one;
}

static int64_t channels_of(const stk_session *session, int64_t size)
{
    return (int64_t)stk_session_image_bytes(session, size) / (size * size);
}

static stk_status reserve(stk_blob *pixels, const stk_session *session, int64_t size, int64_t count,
                          stk_error *err)
{
    const size_t bytes = (size_t)count * stk_session_image_bytes(session, size);
    STK_TRY(stk_blob_reserve(pixels, bytes, err));
    pixels->size = bytes;
    return STK_OK;
}

stk_status stk_samples_train(stk_samples *samples, stk_session *session,
                             const stk_loader_batch *batch, int64_t size, int64_t step,
                             stk_error *err)
{
    const bool     soft = stk_loader_soft(samples->recipe, false);
    const int64_t  count = batch->rows < STK_TRAIN_SAMPLES ? batch->rows : STK_TRAIN_SAMPLES;
    const bool     resident = stk_session_resident(session, false) != NULL;
    const bool     mixed = stk_loader_mixes_on_device(samples->recipe, false, resident);
    const stk_show how = {
        .fed = mixed ? samples->recipe->data.batch : count, .rows = count, .size = size};
    stk_train_samples made = {
        .step = step, .count = count, .size = size, .channels = channels_of(session, size)};
    stk_blob_init(&made.pixels, NULL, STK_MEMORY_OUTPUT);
    stk_status st = reserve(&made.pixels, session, size, count, err);
    if (!st) st = stk_session_show(session, batch, &how, made.pixels.data, err);
    for (int64_t i = 0; i < count; i++)
        made.list[i] = read_label(samples, batch, i, soft);
    if (!st) publish(samples, false, &made);
    stk_train_samples_release(&made);
    return st;
}

void stk_samples_begin(stk_samples *samples, const stk_session *session)
{
    samples->row = 0;
    samples->seen.size = samples->recipe->data.size;
    samples->seen.channels = channels_of(session, samples->seen.size);
    samples->seen.count = 0;
    samples->seen.pixels.size = 0;
}

/* The row of the i-th sample. */
static int64_t index_of(const stk_samples *s, int64_t i)
{
    const int64_t all = s->data->validation_count;
    return all <= STK_TRAIN_SAMPLES ? i : (2 * i + 1) * all / (2 * STK_TRAIN_SAMPLES);
}

static bool is_next_within(const stk_samples *s, int64_t rows)
{
    return s->seen.count < STK_TRAIN_SAMPLES && index_of(s, s->seen.count) < s->row + rows;
}

bool stk_samples_needed(const stk_samples *samples, int64_t rows)
{
    return is_next_within(samples, rows);
}

static void predict(stk_train_sample *one, const float *logits, int64_t classes)
{
    double sum = 0;
    one->predicted = 0;
    for (int64_t i = 1; i < classes; i++)
        if (logits[i] > logits[one->predicted]) one->predicted = i;
    for (int64_t i = 0; i < classes; i++)
        sum += exp((double)logits[i] - (double)logits[one->predicted]);
    one->probability = 1 / sum;
}

void stk_samples_next(stk_samples *samples, const stk_loader_batch *batch, const float *logits)
{
    const stk_train_recipe *r = samples->recipe;
    stk_train_samples      *seen = &samples->seen;
    while (logits && is_next_within(samples, batch->rows)) {
        const int64_t     row = index_of(samples, seen->count) - samples->row, at = seen->count;
        stk_train_sample *one = &seen->list[at];
        stk_error         unasked;
        const size_t      bytes = (size_t)(seen->size * seen->size * seen->channels);
        *one = read_label(samples, batch, row, false);
        predict(one, logits + row * r->model.classes, r->model.classes);
        samples->by_edits = batch->edits != NULL;
        if (batch->edits)
            samples->edits[at] = batch->edits[row];
        else if (stk_blob_append(&seen->pixels, batch->images + (size_t)row * bytes, bytes,
                                 &unasked))
            break; /* without memory there are fewer */
        seen->count++;
    }
    samples->row += batch->rows;
}

/* Resident samples are the same in every evaluation, so they are rendered once. */
static stk_status draw(stk_samples *s, stk_session *session, stk_error *err)
{
    const stk_show         how = {.fed = s->seen.count,
                                  .rows = s->seen.count,
                                  .size = s->recipe->data.size,
                                  .evaluate = true};
    const stk_loader_batch batch = {.rows = s->seen.count, .edits = s->edits};
    if (!s->drawn.size) {
        STK_TRY(reserve(&s->drawn, session, how.size, how.rows, err));
        const stk_status st = stk_session_show(session, &batch, &how, s->drawn.data, err);
        if (st) s->drawn.size = 0;
        STK_TRY(st);
    }
    return stk_blob_append(&s->seen.pixels, s->drawn.data, s->drawn.size, err);
}

stk_status stk_samples_end(stk_samples *samples, stk_session *session, int64_t step, stk_error *err)
{
    stk_train_samples *seen = &samples->seen;
    if (!seen->count) return STK_OK;
    if (samples->by_edits) STK_TRY(draw(samples, session, err));
    seen->step = step;
    publish(samples, true, seen);
    return STK_OK;
}

stk_status stk_samples_read(stk_samples *samples, bool validation, stk_train_samples *out,
                            stk_error *err)
{
    stk_blob pixels;
    stk_blob_init(&pixels, NULL, STK_MEMORY_OUTPUT);
    pthread_mutex_lock(&samples->lock);
    const stk_train_samples *set = &samples->sets[validation];
    const stk_status         st = stk_blob_append(&pixels, set->pixels.data, set->pixels.size, err);
    *out = *set;
    pthread_mutex_unlock(&samples->lock);
    out->pixels = pixels;
    if (st) out->count = 0;
    return st;
}

int64_t stk_samples_step(stk_samples *samples, bool validation)
{
    pthread_mutex_lock(&samples->lock);
    const stk_train_samples *set = &samples->sets[validation];
    const int64_t            step = set->count ? set->step : -1;
    pthread_mutex_unlock(&samples->lock);
    return step;
}
