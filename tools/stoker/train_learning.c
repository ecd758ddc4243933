/* Collects training progress: reports and images of a trainer, for the live page. */
#include "train_learning.h"

#include "model_images.h"
#include "train_curve.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Images up to SMALL keep their size; larger ones are shrunk to at most SHOWN. */
enum { SMALL = 64, SHOWN = 112, QUALITY = 85, NAME_CAPACITY = 128 };

struct cli_train_learning {
    const stk_train_data *data;
    stk_trainer          *trainer;
    _Atomic int64_t       step; /* last finished one, set by the training thread */
    pthread_mutex_t       lock; /* protects the following fields */
    stk_learning         *learning;
    stk_learning_position position;
    double                placed_at;
    int64_t               shown[2]; /* steps of the shown images */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

stk_status cli_train_learning_new(cli_train_learning **out, const stk_train_data *data,
                                  stk_error *err)
{
    cli_train_learning *l = calloc(1, sizeof *l);
    *out = l;
    if (!l) return stk_fail(err, STK_E_NOMEM, "learning", NULL, "no memory");
    l->data = data;
    l->shown[0] = l->shown[1] = -1;
    l->position = (stk_learning_position){.state = "running", .seconds_left = -1};
    pthread_mutex_init(&l->lock, NULL);
    const stk_status st = stk_learning_new(&l->learning, err);
    if (!st) return STK_OK;
    cli_train_learning_free(l);
    *out = NULL;
    return st;
}

void cli_train_learning_free(cli_train_learning *learning)
{
    if (!learning) return;
    pthread_mutex_destroy(&learning->lock);
    stk_learning_free(learning->learning);
    free(learning);
}

static void on_step(void *context, const stk_train_progress *progress)
{
    cli_train_learning *l = context;
    atomic_store_explicit(&l->step, progress->step, memory_order_relaxed);
}

static stk_learning_row row_of(const stk_train_progress *p)
{
    const double steps = (double)(p->epoch_steps ? p->epoch_steps : 1);
    return (stk_learning_row){.step = p->step,
                              .epoch = (double)p->epoch + (double)p->epoch_step / steps,
                              .seconds = p->seconds,
                              .loss = p->loss,
                              .accuracy = p->accuracy,
                              .learning_rate = p->learning_rate,
                              .epoch_loss = p->epoch_end ? p->epoch_loss : (double)NAN,
                              .epoch_accuracy = p->epoch_end ? p->epoch_accuracy : (double)NAN,
                              .validation_loss = p->evaluated ? p->validation_loss : (double)NAN,
                              .validation_accuracy =
                                  p->evaluated ? p->validation_accuracy : (double)NAN};
}

static stk_status on_report(void *context, const stk_train_progress *p, stk_error *err)
{
    cli_train_learning    *l = context;
    const stk_learning_row row = row_of(p);
    (void)err;
    pthread_mutex_lock(&l->lock);
    stk_learning_add(l->learning, &row);
    l->placed_at = now();
    l->position =
        (stk_learning_position){.state = l->position.state,
                                .step = p->step,
                                .steps = p->steps,
                                .epoch = p->epoch + 1,
                                .epochs = p->epochs,
                                .seconds = p->seconds,
                                .seconds_left = p->seconds_left > 0 ? p->seconds_left : -1};
    pthread_mutex_unlock(&l->lock);
    return STK_OK;
}

stk_callback cli_train_learning_callback(cli_train_learning *learning)
{
    return (stk_callback){
        .name = "learning", .on_step = on_step, .on_report = on_report, .context = learning};
}

static void take_curve(cli_train_learning *l, const cli_curve *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const stk_learning_row row = {.step = (int64_t)c->rows[CLI_CURVE_STEP][i],
                                      .epoch = c->rows[CLI_CURVE_EPOCH][i],
                                      .seconds = c->rows[CLI_CURVE_SECONDS][i],
                                      .loss = c->rows[CLI_CURVE_LOSS][i],
                                      .accuracy = c->rows[CLI_CURVE_ACCURACY][i],
                                      .learning_rate = c->rows[CLI_CURVE_RATE][i],
                                      .epoch_loss = c->rows[CLI_CURVE_EPOCH_LOSS][i],
                                      .epoch_accuracy = c->rows[CLI_CURVE_EPOCH_ACCURACY][i],
                                      .validation_loss = c->rows[CLI_CURVE_VALIDATION_LOSS][i],
                                      .validation_accuracy =
                                          c->rows[CLI_CURVE_VALIDATION_ACCURACY][i]};
        stk_learning_add(l->learning, &row);
    }
}

stk_status cli_train_learning_follow(cli_train_learning *learning, stk_trainer *trainer,
                                     stk_error *err)
{
    const stk_train_summary summary = stk_trainer_summary(trainer);
    cli_curve               before;
    learning->trainer = trainer;
    learning->step = summary.first_step;
    learning->position.step = summary.first_step;
    learning->position.steps = summary.steps;
    learning->position.epochs = summary.epochs;
    if (!summary.first_step) return STK_OK;
    STK_TRY(cli_curve_read(&before, stk_trainer_folder(trainer), err));
    take_curve(learning, &before);
    if (before.count)
        learning->position.epoch = (int64_t)ceil(before.rows[CLI_CURVE_EPOCH][before.count - 1]);
    cli_curve_release(&before);
    return STK_OK;
}

void cli_train_learning_end(cli_train_learning *learning, const char *state)
{
    pthread_mutex_lock(&learning->lock);
    learning->position.state = state;
    learning->position.seconds_left = -1;
    pthread_mutex_unlock(&learning->lock);
}

/* Averages factor x factor pixels. */
static stk_status shrink(const uint8_t *src, int size, int channels, int factor, stk_pixels *out,
                         stk_error *err)
{
    const int side = size / factor;
    out->data = malloc((size_t)(side * side * channels));
    if (!out->data) return stk_fail(err, STK_E_NOMEM, "learning", NULL, "no memory for an image");
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            for (int c = 0; c < channels; c++) {
                int sum = 0;
                for (int i = 0; i < factor * factor; i++)
                    sum += src[((y * factor + i / factor) * size + x * factor + i % factor) *
                                   channels +
                               c];
                out->data[(y * side + x) * channels + c] =
                    (uint8_t)((sum + factor * factor / 2) / (factor * factor));
            }
    out->width = out->height = side;
    out->stride = (size_t)(side * channels);
    return STK_OK;
}

static stk_status encode(const stk_train_samples *s, int64_t index, stk_blob *out, stk_error *err)
{
    const int      size = (int)s->size, channels = (int)s->channels;
    const uint8_t *src = s->pixels.data + (size_t)index * s->pixels.size / (size_t)s->count;
    if (size <= SMALL)
        return stk_image_write_png(out,
                                   &(stk_pixels){.data = (uint8_t *)(uintptr_t)src,
                                                 .width = size,
                                                 .height = size,
                                                 .channels = channels,
                                                 .stride = (size_t)(size * channels)},
                                   err);
    stk_pixels small = {.channels = channels};
    STK_TRY(shrink(src, size, channels, (size + SHOWN - 1) / SHOWN, &small, err));
    const stk_status st =
        stk_image_write_jpeg(out, &small, &(stk_jpeg_write_options){.quality = QUALITY}, err);
    free(small.data);
    return st;
}

typedef struct texts {
    char label[NAME_CAPACITY], predicted[NAME_CAPACITY];
} texts;

/* files: one per image, released by the caller. */
static stk_status show_all(cli_train_learning *l, const stk_train_samples *s, bool validation,
                           stk_blob files[STK_TRAIN_SAMPLES], stk_error *err)
{
    stk_learning_image images[STK_TRAIN_SAMPLES];
    texts              names[STK_TRAIN_SAMPLES];
    for (int64_t i = 0; i < s->count; i++) {
        const stk_train_sample *one = &s->list[i];
        STK_TRY(encode(s, i, &files[i], err));
        images[i] = (stk_learning_image){
            .encoded = stk_blob_bytes(&files[i]),
            .label = stk_train_sample_label(one, l->data, names[i].label, NAME_CAPACITY),
            .predicted =
                stk_train_sample_predicted(one, l->data, names[i].predicted, NAME_CAPACITY),
            .probability = one->probability,
            .right = one->predicted == one->label};
    }
    return stk_learning_show(l->learning,
                             validation ? STK_LEARNING_VALIDATION : STK_LEARNING_TRAINING, s->step,
                             images, (size_t)s->count, err);
}

/* Call with the lock held: encodes new images. */
static stk_status show(cli_train_learning *l, bool validation, stk_error *err)
{
    stk_train_samples samples;
    stk_blob          files[STK_TRAIN_SAMPLES];
    stk_status        st = stk_trainer_samples(l->trainer, validation, &samples, err);
    for (int i = 0; i < STK_TRAIN_SAMPLES; i++)
        stk_blob_init(&files[i], NULL, STK_MEMORY_OUTPUT);
    if (!st && samples.count && samples.step != l->shown[validation]) {
        st = show_all(l, &samples, validation, files, err);
        if (!st) l->shown[validation] = samples.step;
    }
    for (int i = 0; i < STK_TRAIN_SAMPLES; i++)
        stk_blob_release(&files[i]);
    stk_train_samples_release(&samples);
    return st;
}

/* Adds steps and time since the last report. */
static stk_learning_position position_now(const cli_train_learning *l)
{
    stk_learning_position position = l->position;
    const int64_t         step = atomic_load_explicit(&l->step, memory_order_relaxed);
    const double          since = l->placed_at > 0 ? now() - l->placed_at : 0;
    if (step > position.step) position.step = step;
    if (strcmp(position.state, "running") == 0) position.seconds += since;
    if (position.seconds_left >= 0)
        position.seconds_left = since < position.seconds_left ? position.seconds_left - since : 0;
    return position;
}

stk_status cli_train_learning_write(cli_train_learning *learning, stk_blob *out, stk_error *err)
{
    cli_train_learning *l = learning;
    stk_status          st = STK_OK;
    pthread_mutex_lock(&l->lock);
    const stk_learning_position position = position_now(l);
    stk_learning_set_position(l->learning, &position);
    if (l->trainer) st = show(l, false, err);
    if (!st && l->trainer) st = show(l, true, err);
    if (!st) st = stk_learning_write(l->learning, out, err);
    pthread_mutex_unlock(&l->lock);
    return st;
}

stk_status cli_train_learning_save(cli_train_learning *learning, const char *folder, stk_error *err)
{
    char     path[STK_TRAIN_PATH + 32];
    stk_blob json;
    snprintf(path, sizeof path, "%s/learning.json", folder);
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_status st = cli_train_learning_write(learning, &json, err);
    if (!st) st = cli_images_save(path, stk_blob_bytes(&json), err);
    stk_blob_release(&json);
    return st;
}
