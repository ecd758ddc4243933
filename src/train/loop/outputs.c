/* Writes the metrics table and event files. */
#include "train/loop/outputs.h"
#include "base/clock.h"
#include "train/loop/hparams.h"
#include "train/loop/sample_sheet.h"
#include <stdio.h>

static const char *const columns[] = {"epoch",    "loss",         "accuracy",      "learning_rate",
                                      "momentum", "images_per_s", "input_wait",    "seconds",
                                      "size",     "val_loss",     "val_accuracy",  "val_top5",
                                      "skipped",  "epoch_loss",   "epoch_accuracy"};

enum { COLUMNS = sizeof columns / sizeof *columns, VALIDATION = 9, SKIPPED = 12, EPOCH = 13 };

static const uint64_t samples_every_ns = 10000000000u;

static double epoch_now(const stk_train_progress *p)
{
    return (double)p->epoch + (double)p->epoch_step / (double)(p->epoch_steps ? p->epoch_steps : 1);
}

static stk_status write_row(void *context, const stk_train_progress *p, stk_error *err)
{
    stk_outputs *o = context;
    const double values[COLUMNS] = {epoch_now(p),
                                    p->loss,
                                    p->accuracy,
                                    p->learning_rate,
                                    p->momentum,
                                    p->images_per_second,
                                    p->input_wait,
                                    p->seconds,
                                    (double)p->size,
                                    p->validation_loss,
                                    p->validation_accuracy,
                                    p->validation_top5,
                                    (double)p->skipped,
                                    p->epoch_loss,
                                    p->epoch_accuracy};
    bool         given[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        given[i] = i >= EPOCH ? p->epoch_end : i < VALIDATION || i == SKIPPED || p->evaluated;
    STK_TRY(stk_metrics_csv_add(o->csv, p->step, values, given, err));
    return p->epoch_end ? stk_metrics_csv_flush(o->csv, err) : STK_OK;
}

/* A temporary failure, such as a full disk, is retried with the next report. */
static bool is_final(stk_status st)
{
    return !stk_status_is_environment(st);
}

/* Writes each set of images once, and skips short epochs: a sheet takes some 10 ms. */
static stk_status write_samples(stk_outputs *o, bool validation, bool last, stk_error *err)
{
    const char       *tag = validation ? "samples/validation" : "samples/training";
    const int64_t     step = stk_samples_step(o->options.samples, validation);
    stk_train_samples samples;
    stk_blob          png;
    if (step < 0 || step == o->shown[validation]) return STK_OK;
    if (!last && o->shown[validation] >= 0 &&
        stk_clock_ns() - o->shown_ns[validation] < samples_every_ns)
        return STK_OK;
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_samples_read(o->options.samples, validation, &samples, err);
    if (!st) st = stk_sample_sheet(&samples, o->options.data, &png, err);
    if (!st) st = stk_events_image(o->events, tag, samples.step, stk_blob_bytes(&png), err);
    if (is_final(st)) {
        o->shown[validation] = samples.step;
        o->shown_ns[validation] = stk_clock_ns();
    }
    stk_train_samples_release(&samples);
    stk_blob_release(&png);
    return st;
}

static stk_status write_settings(stk_outputs *o, stk_error *err)
{
    if (o->hparams_done) return STK_OK;
    const stk_status st = stk_hparams_write(o->events, o->options.recipe, err);
    o->hparams_done = is_final(st);
    return st;
}

/* A failed curve does not keep the others from the file. Returns the first failure. */
static stk_status write_curves(stk_outputs *o, const stk_train_progress *p, stk_error *err)
{
    const struct {
        const char *tag;
        double      value;
        bool        given;
    } curves[] = {
        {"train/loss", p->loss, true},
        {"train/accuracy", p->accuracy, true},
        {"train/epoch_loss", p->epoch_loss, p->epoch_end},
        {"train/epoch_accuracy", p->epoch_accuracy, p->epoch_end},
        {"train/learning_rate", p->learning_rate, true},
        {"speed/images_per_second", p->images_per_second, true},
        {"speed/input_wait", p->input_wait, true},
        {"validation/loss", p->validation_loss, p->evaluated},
        {"validation/accuracy", p->validation_accuracy, p->evaluated},
        {"validation/top5", p->validation_top5, p->evaluated},
    };
    stk_status st = STK_OK;
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        stk_error why;
        if (curves[i].given &&
            stk_events_scalar(o->events, curves[i].tag, p->step, curves[i].value, &why) && !st) {
            *err = why;
            st = why.status;
        }
    }
    return st;
}

/* Curves are written first, so that a later failure cannot lose them. Readers see each report at
 * once. */
static stk_status write_events(void *context, const stk_train_progress *p, stk_error *err)
{
    stk_outputs *o = context;
    STK_TRY(write_curves(o, p, err));
    STK_TRY(p->epoch_end ? stk_events_flush(o->events, err) : stk_events_show(o->events, err));
    STK_TRY(write_settings(o, err));
    STK_TRY(write_samples(o, false, false, err));
    STK_TRY(write_samples(o, true, false, err));
    return stk_events_show(o->events, err);
}

/* A run resumed from the checkpoint does not write these lines again. */
static stk_status flush_table(void *context, stk_error *err)
{
    return stk_metrics_csv_flush(((stk_outputs *)context)->csv, err);
}

static stk_status flush_events(void *context, stk_error *err)
{
    return stk_events_flush(((stk_outputs *)context)->events, err);
}

stk_status stk_outputs_open(stk_outputs *outputs, const stk_outputs_options *options,
                            stk_error *err)
{
    const char   *folder = options->recipe->output.folder;
    const int64_t resume_step = options->resume_step;
    char          path[STK_TRAIN_PATH + 32];
    *outputs = (stk_outputs){.options = *options, .shown = {-1, -1}};
    snprintf(path, sizeof path, "%s/metrics.csv", folder);
    STK_TRY(stk_metrics_csv_open(&outputs->csv, NULL, path, columns, COLUMNS, resume_step, err));
    if (!options->recipe->output.tensorboard) return STK_OK;
    const stk_events_options how = {.resumed = resume_step >= 0, .resume_step = resume_step + 1};
    stk_status               st = stk_events_open(&outputs->events, folder, &how, err);
    if (st) stk_outputs_close(outputs);
    return st;
}

stk_status stk_outputs_end(stk_outputs *outputs, bool success, stk_error *err)
{
    if (!outputs->events || (!outputs->hparams_done && !success)) return STK_OK;
    STK_TRY(write_settings(outputs, err));
    STK_TRY(write_samples(outputs, false, true, err));
    STK_TRY(write_samples(outputs, true, true, err));
    STK_TRY(stk_events_hparams_end(outputs->events, success, err));
    return stk_events_flush(outputs->events, err);
}

void stk_outputs_close(stk_outputs *outputs)
{
    stk_metrics_csv_free(outputs->csv);
    stk_events_free(outputs->events);
    *outputs = (stk_outputs){0};
}

size_t stk_outputs_callbacks(stk_outputs *outputs, stk_callback list[2])
{
    size_t count = 0;
    list[count++] = (stk_callback){.name = "metrics.csv",
                                   .on_report = write_row,
                                   .on_checkpoint = flush_table,
                                   .context = outputs};
    if (outputs->events)
        list[count++] = (stk_callback){.name = "tensorboard",
                                       .on_report = write_events,
                                       .on_checkpoint = flush_events,
                                       .context = outputs};
    return count;
}
