/* Training on a device that works beside the caller: some steps are under way, results come late,
 * and all is as it is step by step. */
#include "train/tiny_data.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/train_bench.h>
#include <string.h>

enum { STEPS = 256 };

typedef struct watcher {
    stk_cancel cancel;
    int64_t    stop_at; /* 0: never */
    int64_t    steps;
    double     loss[STEPS];
    double     validation;
} watcher;

static void on_step(void *context, const stk_train_progress *p)
{
    watcher *w = context;
    EXPECT(p->step > 0 && p->step <= STEPS);
    if (w->steps) EXPECT_INT_EQ(w->steps + 1, p->step);
    w->steps = p->step;
    w->loss[p->step - 1] = p->loss;
    if (w->stop_at && p->step == w->stop_at) stk_cancel_request(&w->cancel);
}

static stk_status on_epoch(void *context, const stk_train_progress *p, stk_error *err)
{
    watcher *w = context;
    (void)err;
    w->validation = p->validation_loss;
    return STK_OK;
}

static stk_status train(const stk_train_recipe *recipe, const stk_train_data *data, bool resume,
                        watcher *w, stk_train_result *result, stk_error *err)
{
    const stk_callback callback = {
        .name = "watcher", .on_step = on_step, .on_epoch = on_epoch, .context = w};
    stk_trainer_options options = {
        .resume = resume, .callbacks = &callback, .callback_count = 1, .cancel = &w->cancel};
    stk_trainer *trainer;
    STK_TRY(stk_trainer_open(&trainer, recipe, data, &options, err));
    stk_status st = stk_trainer_run(trainer, result, err);
    stk_trainer_free(trainer);
    return st;
}

static void use(stk_train_recipe *recipe, const char *backend, const char *folder)
{
    setenv("STOKER_PLUGIN_CUDA", STK_LATE_DEVICE, 1);
    snprintf(recipe->knobs.backend, sizeof recipe->knobs.backend, "%s", backend);
    snprintf(recipe->output.folder, sizeof recipe->output.folder, "%s", stk_test_path(folder));
}

static stk_bytes weights_of(const stk_train_recipe *recipe)
{
    char path[STK_TRAIN_PATH + 32];
    snprintf(path, sizeof path, "%s/final.safetensors", recipe->output.folder);
    return stk_test_read_file(path);
}

static void expect_same(const char *name, const char *const *settings)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result at_once, late;
    stk_error        err;
    char             text[64];
    watcher          a = {0}, b = {0};
    snprintf(text, sizeof text, "%s-data", name);
    tiny_recipe(&recipe, &data, tiny_data(text, 256, 12, 4), "unused", settings);
    snprintf(text, sizeof text, "%s-once", name);
    use(&recipe, "ref", text);
    EXPECT_OK(train(&recipe, &data, false, &a, &at_once, &err));
    stk_bytes expected = weights_of(&recipe);
    snprintf(text, sizeof text, "%s-late", name);
    use(&recipe, "cuda", text);
    EXPECT_OK(train(&recipe, &data, false, &b, &late, &err));
    stk_bytes found = weights_of(&recipe);
    EXPECT_INT_EQ(expected.size, found.size);
    EXPECT_MEM_EQ(expected.data, found.data, expected.size);
    EXPECT_INT_EQ(a.steps, b.steps);
    EXPECT_MEM_EQ(a.loss, b.loss, sizeof a.loss);
    EXPECT(a.validation == b.validation);
    EXPECT(at_once.best_accuracy == late.best_accuracy);
    EXPECT_INT_EQ(at_once.last.step, late.last.step);
    EXPECT(at_once.last.loss == late.last.loss);
    EXPECT(at_once.last.epoch_loss == late.last.epoch_loss);
    EXPECT(at_once.last.epoch_accuracy == late.last.epoch_accuracy);
    stk_train_data_release(&data);
}

STK_TEST(a_late_device_learns_the_same_and_tells_every_step_in_order)
{
    expect_same("sgd", (const char *const[]){"train.precision", "fp32", NULL});
}

STK_TEST(also_with_accumulation_growing_images_and_checkpoints_between)
{
    expect_same("much", (const char *const[]){"train.precision",
                                              "fp32",
                                              "train.ema",
                                              "0.9",
                                              "data.mixup",
                                              "0.2",
                                              "train.accumulate",
                                              "2",
                                              "train.optimizer",
                                              "adamw",
                                              "progressive.size_from",
                                              "0.5",
                                              "train.schedule",
                                              "plateau",
                                              "output.log_every",
                                              "3",
                                              "output.checkpoint_every",
                                              "5",
                                              "model.name",
                                              "cnn",
                                              "model.width",
                                              "0.25",
                                              NULL});
}

STK_TEST(step_by_step_where_that_is_asked_for)
{
    expect_same("zero", (const char *const[]){"train.precision", "fp32", "knobs.steps_in_flight",
                                              "0", NULL});
    expect_same("eager",
                (const char *const[]){"train.precision", "fp32", "knobs.eager", "true", NULL});
}

STK_TEST(a_late_run_that_was_stopped_goes_on_with_the_same_bits)
{
    static const int64_t stops[] = {1, 7, 16, 25};
    stk_train_recipe     recipe;
    stk_train_data       data;
    stk_train_result     result;
    stk_error            err;
    watcher              w = {0};
    tiny_recipe(&recipe, &data, tiny_data("stop-data", 256, 12, 4), "unused",
                (const char *const[]){"train.precision", "fp32", NULL});
    use(&recipe, "ref", "stop-whole");
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    stk_bytes expected = weights_of(&recipe);
    use(&recipe, "cuda", "stop-parts");
    for (size_t i = 0; i < COUNT_OF(stops); i++) {
        w = (watcher){.stop_at = stops[i]};
        EXPECT_OK(train(&recipe, &data, i > 0, &w, &result, &err));
        EXPECT(result.interrupted);
        EXPECT(result.last.step >= stops[i] && result.last.step <= stops[i] + 2);
    }
    w = (watcher){0};
    EXPECT_OK(train(&recipe, &data, true, &w, &result, &err));
    EXPECT_MEM_EQ(expected.data, weights_of(&recipe).data, expected.size);
    stk_train_data_release(&data);
}

STK_TEST(a_loss_that_is_not_finite_is_told_of_its_own_step)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err, at_once;
    watcher          w = {0};
    tiny_recipe(&recipe, &data, tiny_data("nan-data", 128, 12, 4), "unused",
                (const char *const[]){"train.learning_rate", "1e6", "train.schedule", "constant",
                                      "train.epochs", "30", "train.precision", "fp32", NULL});
    use(&recipe, "ref", "nan-once");
    EXPECT_STATUS(STK_E_RANGE, train(&recipe, &data, false, &w, &result, &err));
    at_once = err;
    w = (watcher){0};
    use(&recipe, "cuda", "nan-late");
    EXPECT_STATUS(STK_E_RANGE, train(&recipe, &data, false, &w, &result, &err));
    EXPECT_STR_EQ(at_once.message, err.message);
    EXPECT_CONTAINS("not finite", err.where);
    stk_train_data_release(&data);
}

STK_TEST(a_device_that_is_lost_leaves_a_checkpoint_that_goes_on)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_error        err;
    watcher          w = {0};
    tiny_recipe(
        &recipe, &data, tiny_data("lost-data", 256, 12, 4), "unused",
        (const char *const[]){"train.precision", "fp32", "output.checkpoint_every", "4", NULL});
    use(&recipe, "ref", "lost-whole");
    EXPECT_OK(train(&recipe, &data, false, &w, &result, &err));
    stk_bytes expected = weights_of(&recipe);
    use(&recipe, "cuda", "lost-parts");
    setenv("STOKER_LATE_FAILS_AT", "45", 1);
    w = (watcher){0};
    EXPECT_STATUS(STK_E_IO, train(&recipe, &data, false, &w, &result, &err));
    EXPECT_CONTAINS("lost", err.message);
    unsetenv("STOKER_LATE_FAILS_AT");
    w = (watcher){0};
    EXPECT_OK(train(&recipe, &data, true, &w, &result, &err));
    EXPECT_MEM_EQ(expected.data, weights_of(&recipe).data, expected.size);
    stk_train_data_release(&data);
}

STK_TEST(rates_are_found_and_steps_are_benched_on_it_too)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_lr_result    found;
    stk_train_bench *bench;
    stk_profile      profile;
    stk_error        err;
    tiny_recipe(&recipe, &data, tiny_data("bench-data", 256, 12, 4), "unused",
                (const char *const[]){"train.precision", "fp32", NULL});
    use(&recipe, "cuda", "bench");
    EXPECT_OK(stk_lr_find(&recipe, &data, &(stk_lr_options){.steps = 30}, &found, &err));
    EXPECT(found.count > 10);
    stk_lr_result_release(&found);
    EXPECT_OK(stk_train_bench_open(&bench, &recipe, &data, NULL, &err));
    for (int i = 0; i < 30; i++)
        EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_BOTH, &err));
    for (int i = 0; i < 10; i++)
        EXPECT_OK(stk_train_bench_step(bench, (stk_train_bench_part)(i % 3), &err));
    EXPECT_OK(stk_train_bench_profile(bench, &profile, &err));
    EXPECT_STR_EQ("cuda", profile.run.backend);
    stk_profile_release(&profile);
    stk_train_bench_free(bench);
    stk_train_data_release(&data);
}
