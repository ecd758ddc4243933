/* Loss and accuracy of an epoch are the means over all its samples, however often a run reports,
 * and also where it was stopped within one. */
#include "train/loop/step_sums.h"
#include "train/tiny_data.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPOCHS = 3, STEPS = 16 };

typedef struct watcher {
    stk_cancel cancel;
    int64_t    stop_at;                                    /* 0: never */
    double     loss[EPOCHS], accuracy[EPOCHS];             /* sums of reports */
    double     epoch_loss[EPOCHS], epoch_accuracy[EPOCHS]; /* as told at the end */
    int        reports[EPOCHS];
} watcher;

static void on_step(void *context, const stk_train_progress *p)
{
    watcher *w = context;
    if (w->stop_at && p->step == w->stop_at) stk_cancel_request(&w->cancel);
}

static stk_status on_report(void *context, const stk_train_progress *p, stk_error *err)
{
    watcher *w = context;
    (void)err;
    w->loss[p->epoch] += p->loss;
    w->accuracy[p->epoch] += p->accuracy;
    w->reports[p->epoch]++;
    if (!p->epoch_end) return STK_OK;
    w->epoch_loss[p->epoch] = p->epoch_loss;
    w->epoch_accuracy[p->epoch] = p->epoch_accuracy;
    return STK_OK;
}

static stk_train_result train(const stk_train_recipe *recipe, const stk_train_data *data,
                              bool resume, watcher *w)
{
    const stk_callback callback = {
        .name = "watcher", .on_step = on_step, .on_report = on_report, .context = w};
    const stk_trainer_options options = {
        .resume = resume, .callbacks = &callback, .callback_count = 1, .cancel = &w->cancel};
    stk_train_result result;
    stk_error        err;
    stk_trainer     *trainer;
    EXPECT_OK(stk_trainer_open(&trainer, recipe, data, &options, &err));
    EXPECT_OK(stk_trainer_run(trainer, &result, &err));
    stk_trainer_free(trainer);
    return result;
}

/* One report a step: their mean is the epoch's. 5 leaves a window of one step at the end of each
 * epoch; 1000 reports at the end only. */
static void expect_means(const char *name, const char *const *settings)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    watcher          each = {0}, some = {0}, one = {0};
    watcher *const   all[] = {&each, &some, &one};
    const int64_t    every[] = {1, 5, 1000};
    char             text[64];
    snprintf(text, sizeof text, "%s-data", name);
    tiny_recipe(&recipe, &data, tiny_data(text, 256, 12, 4), "unused", settings);
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        snprintf(text, sizeof text, "%s-%zu", name, i);
        snprintf(recipe.output.folder, sizeof recipe.output.folder, "%s", stk_test_path(text));
        recipe.output.log_every = every[i];
        const stk_train_result result = train(&recipe, &data, false, all[i]);
        EXPECT(result.last.epoch_loss == all[i]->epoch_loss[EPOCHS - 1]);
        EXPECT(result.last.epoch_accuracy == all[i]->epoch_accuracy[EPOCHS - 1]);
    }
    for (int i = 0; i < EPOCHS; i++) {
        EXPECT_INT_EQ(STEPS, each.reports[i]);
        const double loss = each.loss[i] / STEPS, accuracy = each.accuracy[i] / STEPS;
        for (size_t k = 0; k < COUNT_OF(all); k++) {
            EXPECT(fabs(all[k]->epoch_loss[i] - loss) < 1e-9 * loss);
            EXPECT(fabs(all[k]->epoch_accuracy[i] - accuracy) < 1e-9);
        }
    }
    stk_train_data_release(&data);
}

STK_TEST(an_epoch_is_the_mean_of_its_samples_however_often_a_run_reports)
{
    expect_means("plain", (const char *const[]){"train.epochs", "3", NULL});
}

STK_TEST(also_with_accumulation_and_mixing)
{
    expect_means("mixed", (const char *const[]){"train.epochs", "3", "train.accumulate", "4",
                                                "data.mixup", "0.2", NULL});
}

/* The value of a column in a line of the table; "" where it is empty. */
static void cell(const char *heading, const char *line, const char *column, char *out,
                 size_t capacity)
{
    for (;;) {
        const size_t name = strcspn(heading, ",\n"), value = strcspn(line, ",\n");
        if (name == strlen(column) && !strncmp(heading, column, name)) {
            snprintf(out, capacity, "%.*s", (int)value, line);
            return;
        }
        EXPECT(heading[name] == ',' && line[value] == ',');
        heading += name + 1;
        line += value + 1;
    }
}

static char *table_of(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/metrics.csv", folder);
    const stk_bytes bytes = stk_test_read_file(path);
    return strndup((const char *)bytes.data, bytes.size);
}

static void expect_same_learning(const char *a, const char *b)
{
    static const char *const columns[] = {"step",       "epoch",          "loss",   "accuracy",
                                          "epoch_loss", "epoch_accuracy", "skipped"};
    const char *const        heading = a;
    while (*a && *b) {
        for (size_t i = 0; i < COUNT_OF(columns); i++) {
            char mine[64], theirs[64];
            cell(heading, a, columns[i], mine, sizeof mine);
            cell(heading, b, columns[i], theirs, sizeof theirs);
            EXPECT_STR_EQ(mine, theirs);
        }
        a += strcspn(a, "\n") + 1;
        b += strcspn(b, "\n") + 1;
    }
    EXPECT(!*a && !*b);
}

/* Stopped within a window, at its end, at the end of an epoch, and before the last step. */
STK_TEST(a_stopped_run_tells_the_same_epochs)
{
    static const int64_t stops[] = {3, 5, 16, 22, 47};
    stk_train_recipe     recipe;
    stk_train_data       data;
    watcher              whole = {0}, parts = {0};
    const char          *folder = stk_test_path("whole");
    tiny_recipe(&recipe, &data, tiny_data("data", 256, 12, 4), folder,
                (const char *const[]){"train.epochs", "3", "train.accumulate", "2",
                                      "output.log_every", "5", NULL});
    train(&recipe, &data, false, &whole);
    char *expected = table_of(folder);
    folder = stk_test_path("parts");
    snprintf(recipe.output.folder, sizeof recipe.output.folder, "%s", folder);
    for (size_t i = 0; i < COUNT_OF(stops); i++) {
        parts.cancel = (stk_cancel){0};
        parts.stop_at = stops[i];
        const stk_train_result result = train(&recipe, &data, i > 0, &parts);
        EXPECT(result.interrupted);
        EXPECT(result.last.epoch_loss > 0);
        EXPECT(result.last.epoch_accuracy >= 0 && result.last.epoch_accuracy <= 1);
    }
    parts.cancel = (stk_cancel){0};
    parts.stop_at = 0;
    train(&recipe, &data, true, &parts);
    char *found = table_of(folder);
    expect_same_learning(expected, found);
    for (int i = 0; i < EPOCHS; i++) {
        EXPECT(whole.epoch_loss[i] == parts.epoch_loss[i]);
        EXPECT(whole.epoch_accuracy[i] == parts.epoch_accuracy[i]);
    }
    free(expected);
    free(found);
    stk_train_data_release(&data);
}

STK_TEST(a_loss_that_is_not_finite_spoils_no_mean)
{
    stk_train_sums window = {0}, epoch = {0};
    EXPECT(isnan(stk_train_sums_means(&epoch).loss));
    EXPECT(stk_train_sums_means(&epoch).accuracy == 0);
    stk_train_sums_add_loss(&window, 2, 10);
    stk_train_sums_add_loss(&window, INFINITY, 10);
    stk_train_sums_add_loss(&window, NAN, 10);
    stk_train_sums_add_metrics(&window, &(stk_metrics){.correct = 6, .count = 30});
    stk_train_sums_add(&epoch, &window);
    stk_train_sums_add_loss(&epoch, 5, 5);
    EXPECT(stk_train_sums_means(&window).loss == 2);
    EXPECT(fabs(stk_train_sums_means(&window).accuracy - 0.2) < 1e-15);
    EXPECT(stk_train_sums_means(&epoch).loss == 3);
}
