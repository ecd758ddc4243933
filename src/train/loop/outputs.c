/* The table of metrics and event files. */
#include "train/loop/outputs.h"
#include <stdio.h>

static const char *const columns[] = {"epoch",    "loss",         "accuracy",      "learning_rate",
                                      "momentum", "images_per_s", "input_wait",    "seconds",
                                      "size",     "val_loss",     "val_accuracy",  "val_top5",
                                      "skipped",  "epoch_loss",   "epoch_accuracy"};

enum { COLUMNS = sizeof columns / sizeof *columns, VALIDATION = 9, SKIPPED = 12, EPOCH = 13 };

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

static stk_status write_events(void *context, const stk_train_progress *p, stk_error *err)
{
    stk_outputs *o = context;
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
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        if (curves[i].given)
            STK_TRY(stk_events_scalar(o->events, curves[i].tag, p->step, curves[i].value, err));
    return p->epoch_end ? stk_events_flush(o->events, err) : STK_OK;
}

stk_status stk_outputs_open(stk_outputs *outputs, const char *folder, bool tensorboard,
                            int64_t resume_step, stk_error *err)
{
    char path[STK_TRAIN_PATH + 32];
    *outputs = (stk_outputs){0};
    snprintf(path, sizeof path, "%s/metrics.csv", folder);
    STK_TRY(stk_metrics_csv_open(&outputs->csv, NULL, path, columns, COLUMNS, resume_step, err));
    if (!tensorboard) return STK_OK;
    const stk_events_options options = {.resumed = resume_step >= 0,
                                        .resume_step = resume_step + 1};
    stk_status               st = stk_events_open(&outputs->events, folder, &options, err);
    if (st) stk_outputs_close(outputs);
    return st;
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
    list[count++] =
        (stk_callback){.name = "metrics.csv", .on_report = write_row, .context = outputs};
    if (outputs->events)
        list[count++] =
            (stk_callback){.name = "tensorboard", .on_report = write_events, .context = outputs};
    return count;
}
