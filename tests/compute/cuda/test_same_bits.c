/* Complete runs on the GPU yield the same weights bit for bit: repeated, captured or not, with
 * steps in flight or not, interrupted or not. */
#include "train/tiny_data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 40, STOP_AT = 1 };

typedef struct stopper {
    stk_cancel cancel;
    int64_t    at; /* 0: never */
} stopper;

static void on_step(void *context, const stk_train_progress *p)
{
    stopper *s = context;
    if (s->at && p->step >= s->at) stk_cancel_request(&s->cancel);
}

static bool train(const stk_train_recipe *recipe, const stk_train_data *data, int64_t stop_at,
                  bool resume)
{
    stopper             s = {.at = stop_at};
    const stk_callback  callback = {.name = "stopper", .on_step = on_step, .context = &s};
    stk_trainer_options options = {
        .resume = resume, .callbacks = &callback, .callback_count = 1, .cancel = &s.cancel};
    stk_trainer     *trainer;
    stk_train_result result;
    stk_error        err;
    EXPECT_OK(stk_trainer_open(&trainer, recipe, data, &options, &err));
    EXPECT_OK(stk_trainer_run(trainer, &result, &err));
    stk_trainer_free(trainer);
    return result.interrupted;
}

/* Timing at compilation decides algorithms, so the tuning cache is kept as by default. */
static const char *make_data(void)
{
    static const char *data;
    if (data) return data;
    setenv("STOKER_CACHE", stk_test_path("cache"), 0);
    return data = tiny_data("data", 16, 8, 4);
}

/* Final weights of a run into folder; stop_at interrupts and resumes it. */
static stk_bytes weights_after(const char *folder, const char *const *settings,
                               const char *const *more, int64_t stop_at)
{
    /* clang-format off */
    static const char *const usual[] = {
        "knobs.backend", "cuda", "train.deterministic", "true", "model.name", "cnn",
        "model.width", "0.1", "data.batch", "2", "train.steps", "4", "train.ema", "0.9",
        "data.validation", "none", NULL};
    /* clang-format on */
    const char *const *const lists[] = {usual, settings, more};
    const char              *all[2 * PAIRS + 1] = {0};
    size_t                   count = 0;
    stk_train_recipe         recipe;
    stk_train_data           data;
    char                     path[STK_TRAIN_PATH + 32];
    for (size_t l = 0; l < COUNT_OF(lists); l++)
        for (const char *const *s = lists[l]; s && *s; s++)
            all[count++] = *s;
    tiny_recipe(&recipe, &data, make_data(), stk_test_path(folder), all);
    EXPECT(train(&recipe, &data, stop_at, false) == (stop_at > 0));
    if (stop_at) EXPECT(!train(&recipe, &data, 0, true));
    snprintf(path, sizeof path, "%s/final.safetensors", recipe.output.folder);
    stk_train_data_release(&data);
    return stk_test_read_file(path);
}

/* Of a run with default settings. */
static stk_bytes usual_weights(const char *precision)
{
    static stk_bytes   kept[4];
    static const char *of[4];
    const char *const  settings[] = {"train.precision", precision, NULL};
    size_t             i = 0;
    while (of[i] && strcmp(of[i], precision) != 0)
        i++;
    if (!of[i]) kept[i] = weights_after(precision, settings, NULL, 0);
    of[i] = precision;
    return kept[i];
}

/* A run with more settings has the same final weights. */
static void expect_same(const char *name, const char *precision, const char *const *more,
                        int64_t stop_at)
{
    const char *const settings[] = {"train.precision", precision, NULL};
    char              folder[64];
    const stk_bytes   a = usual_weights(precision);
    snprintf(folder, sizeof folder, "%s-%s", name, precision);
    const stk_bytes b = weights_after(folder, settings, more, stop_at);
    EXPECT_INT_EQ(a.size, b.size);
    if (memcmp(a.data, b.data, a.size) != 0)
        fail_msg("%s in %s: the weights of two runs differ", name, precision);
}

STK_TEST(two_runs_end_with_the_same_weights_in_every_precision)
{
    static const char *const precisions[] = {"fp32", "tf32", "fp16", "bf16"};
    for (size_t i = 0; i < COUNT_OF(precisions); i++)
        expect_same("twice", precisions[i], NULL, 0);
}

STK_TEST(a_step_that_is_recorded_computes_what_its_operations_do)
{
    expect_same("unrecorded", "fp16", (const char *const[]){"knobs.passes_off", "capture", NULL},
                0);
}

STK_TEST(steps_under_way_change_nothing)
{
    expect_same("waiting", "fp16", (const char *const[]){"knobs.steps_in_flight", "0", NULL}, 0);
}

STK_TEST(a_run_that_was_interrupted_goes_on_with_the_same_bits)
{
    expect_same("resumed", "fp32", NULL, STOP_AT);
    expect_same("resumed", "fp16", NULL, STOP_AT);
}
