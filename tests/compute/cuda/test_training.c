/* Complete runs on the GPU against the reference: the same losses, and images are learned. */
#include "train/tiny_data.h"
#include <math.h>
#include <stdio.h>

enum { STEPS = 12 };

typedef struct course {
    int    steps;
    double loss[STEPS], validation;
} course;

static void on_step(void *context, const stk_train_progress *p)
{
    course *c = context;
    if (p->step <= STEPS) c->loss[p->step - 1] = p->loss;
    c->steps = (int)p->step;
}

static course train_on(const char *backend, const char *name, const char *data_path,
                       const char *const *settings)
{
    stk_train_recipe   recipe;
    stk_train_data     data;
    stk_train_result   result;
    stk_trainer       *trainer;
    stk_error          err;
    char               folder[96];
    course             c = {0};
    const stk_callback callback = {.name = "course", .on_step = on_step, .context = &c};
    snprintf(folder, sizeof folder, "%s-%s", name, backend);
    tiny_recipe(&recipe, &data, data_path, stk_test_path(folder), settings);
    EXPECT_OK(stk_train_recipe_set(&recipe, "knobs.backend", backend, "test", &err));
    EXPECT_OK(stk_trainer_open(&trainer, &recipe, &data,
                               &(stk_trainer_options){.callbacks = &callback, .callback_count = 1},
                               &err));
    EXPECT_OK(stk_trainer_run(trainer, &result, &err));
    c.validation = result.last.validation_loss;
    stk_trainer_free(trainer);
    stk_train_data_release(&data);
    return c;
}

/* Differences grow with steps: the first must be close, the last near. */
static void expect_like_ref(const char *name, double tolerance, const char *const *settings)
{
    char path[64];
    snprintf(path, sizeof path, "%s-data", name);
    const char  *data = tiny_data(path, 64, 8, 4);
    const course a = train_on("ref", name, data, settings);
    const course b = train_on("cuda", name, data, settings);
    EXPECT_INT_EQ(a.steps, b.steps);
    for (int i = 0; i < a.steps; i++) {
        double allowed = tolerance * (1 + i) * (fabs(a.loss[i]) + 0.1);
        if (!(fabs(a.loss[i] - b.loss[i]) <= allowed))
            fail_msg("%s: loss of step %d is %.6f, on the reference %.6f", name, i + 1, b.loss[i],
                     a.loss[i]);
    }
    EXPECT(fabs(a.validation - b.validation) <= tolerance * 20 * (fabs(a.validation) + 0.1));
}

STK_TEST(a_net_of_dense_layers_learns_as_on_the_reference)
{
    expect_like_ref("mlp", 1e-5,
                    (const char *const[]){"train.precision", "fp32", "model.width", "0.1",
                                          "train.steps", "6", NULL});
}

STK_TEST(a_net_with_convolutions_and_norms_does)
{
    expect_like_ref("cnn", 1e-4,
                    (const char *const[]){"train.precision", "fp32", "model.name", "cnn",
                                          "model.width", "0.1", "data.batch", "4", "train.steps",
                                          "3", "data.eval_batch", "16", NULL});
}

STK_TEST(so_does_one_with_a_weighed_focal_loss_and_balanced_draws)
{
    expect_like_ref("weighed", 1e-5,
                    (const char *const[]){"train.precision", "fp32", "model.width", "0.1",
                                          "train.steps", "4", "data.balance", "classes",
                                          "train.class_weights", "balanced", "train.loss", "focal",
                                          "train.label_smoothing", "0.1", NULL});
    expect_like_ref("weighed-mix", 1e-5,
                    (const char *const[]){"train.precision", "fp32", "model.width", "0.1",
                                          "train.steps", "4", "train.class_weights", "balanced",
                                          "data.mixup", "0.2", NULL});
}

/* Frozen norms use their running statistics, and pass the gradient. */
STK_TEST(so_does_one_of_which_a_part_is_frozen)
{
    const char       *data = tiny_data("frozen-data", 64, 8, 4);
    const char *const begin[] = {"train.precision", "fp32", "model.name", "cnn",
                                 "model.width",     "0.1",  "data.batch", "4",
                                 "train.steps",     "3",    NULL};
    char              weights[600];
    (void)train_on("ref", "begin", data, begin);
    snprintf(weights, sizeof weights, "%s/final.safetensors", stk_test_path("begin-ref"));
    expect_like_ref("frozen", 1e-4,
                    (const char *const[]){"train.precision", "fp32", "model.name", "cnn",
                                          "model.width", "0.1", "data.batch", "4", "train.steps",
                                          "3", "data.eval_batch", "16", "model.weights", weights,
                                          "train.freeze", "features.1", "train.backbone_rate",
                                          "0.5", NULL});
}

STK_TEST(so_does_one_in_half_precision)
{
    expect_like_ref("half", 2e-2,
                    (const char *const[]){"train.precision", "fp16", "model.name", "cnn",
                                          "model.width", "0.1", "data.batch", "4", "train.steps",
                                          "3", "data.eval_batch", "16", NULL});
}

STK_TEST(accumulation_averages_clipping_and_adamw_too)
{
    expect_like_ref("much", 1e-4,
                    (const char *const[]){"train.precision", "fp32", "train.accumulate", "2",
                                          "train.ema", "0.9", "train.clip_norm", "1",
                                          "train.optimizer", "adamw", "data.mixup", "0.2",
                                          "model.width", "0.1", "train.steps", "6", NULL});
}
