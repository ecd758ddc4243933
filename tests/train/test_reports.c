/* What a run tells: every row, in time, and of evaluations that were cut short when they are made
 * up for. */
#include "train/tiny_data.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STEPS_MAX = 64 };

typedef struct listener {
    stk_cancel cancel;
    int64_t    stop_at;  /* 0: never */
    long       sleep_ns; /* in each report */
    double     rates[STEPS_MAX + 1];
    char       log[8192];
} listener;

static void on_step(void *context, const stk_train_progress *p)
{
    listener *l = context;
    if (p->step <= STEPS_MAX) l->rates[p->step] = p->learning_rate;
    if (l->stop_at && p->step == l->stop_at) stk_cancel_request(&l->cancel);
}

static stk_status on_report(void *context, const stk_train_progress *p, stk_error *err)
{
    const listener *l = context;
    (void)p;
    (void)err;
    if (l->sleep_ns) nanosleep(&(struct timespec){.tv_nsec = l->sleep_ns}, NULL);
    return STK_OK;
}

static void log_line(void *context, const char *line)
{
    listener *l = context;
    snprintf(l->log + strlen(l->log), sizeof l->log - strlen(l->log), "%s\n", line);
}

static void train(const stk_train_recipe *recipe, const stk_train_data *data, bool resume,
                  listener *l, stk_train_result *result)
{
    const stk_callback callback = {
        .name = "listener", .on_step = on_step, .on_report = on_report, .context = l};
    const stk_trainer_options options = {.resume = resume,
                                         .callbacks = &callback,
                                         .callback_count = 1,
                                         .cancel = &l->cancel,
                                         .log = log_line,
                                         .log_context = l};
    stk_trainer              *trainer;
    stk_error                 err;
    EXPECT_OK(stk_trainer_open(&trainer, recipe, data, &options, &err));
    EXPECT_OK(stk_trainer_run(trainer, result, &err));
    stk_trainer_free(trainer);
}

STK_TEST(no_row_is_dropped_however_slow_a_callback_is)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    listener         l = {.sleep_ns = 2000000};
    int              rows = -1; /* the heading is none */
    tiny_recipe(&recipe, &data, tiny_data("slow-data", 64, 8, 4), stk_test_path("slow"),
                (const char *const[]){"train.epochs", "50", "model.width", "0.05",
                                      "data.validation", "none", "output.tensorboard", "false",
                                      NULL});
    train(&recipe, &data, false, &l, &result);
    const char *learnt = tiny_learnt(recipe.output.folder, 0);
    for (const char *at = learnt; (at = strchr(at, '\n')); at++)
        rows++;
    EXPECT_INT_EQ(200, result.last.step);
    EXPECT_INT_EQ(200, rows);
    stk_train_data_release(&data);
}

static stk_bytes file_of(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stk_test_read_file(path);
}

/* Ctrl-C at the end of each epoch comes while its evaluation goes on. */
STK_TEST(an_evaluation_that_was_cut_short_is_made_up_for)
{
    static const char *const settings[] = {"train.epochs",
                                           "3",
                                           "model.width",
                                           "0.05",
                                           "train.schedule",
                                           "plateau",
                                           "train.early_stop",
                                           "3",
                                           "train.deterministic",
                                           "true",
                                           NULL};
    static const char *const files[] = {"best.safetensors", "final.safetensors"};
    stk_train_recipe         recipe;
    stk_train_data           data;
    stk_train_result         whole, result;
    listener                 l = {0};
    const char              *path = tiny_data("cut-data", 64, 8, 4), *before;
    before = stk_test_path("cut-whole");
    tiny_recipe(&recipe, &data, path, before, settings);
    train(&recipe, &data, false, &l, &whole);
    snprintf(recipe.output.folder, sizeof recipe.output.folder, "%s", stk_test_path("cut"));
    for (int64_t step = 4; step <= 12; step += 4) {
        l = (listener){.stop_at = step};
        train(&recipe, &data, step > 4, &l, &result);
        EXPECT(result.interrupted);
    }
    l = (listener){0};
    train(&recipe, &data, true, &l, &result);
    EXPECT(!result.interrupted);
    EXPECT(result.best_accuracy == whole.best_accuracy && result.best_step == whole.best_step);
    EXPECT_STR_EQ(tiny_learnt(before, 0), tiny_learnt(recipe.output.folder, 1));
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        const stk_bytes a = file_of(before, files[i]), b = file_of(recipe.output.folder, files[i]);
        EXPECT_INT_EQ(a.size, b.size);
        EXPECT_MEM_EQ(a.data, b.data, a.size);
    }
    stk_train_data_release(&data);
}

/* 2.5 epochs of 4 steps: the rate falls after 2 epochs, that is 8 steps, not after two thirds of
 * 10. */
STK_TEST(a_part_of_an_epoch_does_not_shorten_the_others)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    listener         l = {0};
    tiny_recipe(&recipe, &data, tiny_data("part-data", 64, 8, 4), stk_test_path("part"),
                (const char *const[]){"train.epochs", "2.5", "model.width", "0.05",
                                      "train.schedule", "multistep", "train.milestones", "2",
                                      "train.gamma", "0.1", "train.warmup_epochs", "0", NULL});
    train(&recipe, &data, false, &l, &result);
    EXPECT_INT_EQ(10, result.last.step);
    for (int step = 1; step <= 8; step++)
        EXPECT(l.rates[step] == l.rates[1]);
    EXPECT(fabs(l.rates[9] - 0.1 * l.rates[1]) < 1e-9 && l.rates[10] == l.rates[9]);
    stk_train_data_release(&data);
}
