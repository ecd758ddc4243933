/* What a recipe leaves open, by the data and by the model. */
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const stk_train_data cifar = {.classes = 10,
                                     .train_count = 50000,
                                     .validation_count = 10000,
                                     .width = 32,
                                     .height = 32,
                                     .channels = 3,
                                     .rare_count = -1};

static void settle(stk_train_recipe *recipe, const stk_train_data *data,
                   const char *const *settings, stk_blob *reasons)
{
    stk_error err;
    stk_train_recipe_init(recipe);
    EXPECT_OK(stk_train_recipe_set(recipe, "data.path", "/data", "test", &err));
    EXPECT_OK(stk_train_recipe_set(recipe, "knobs.backend", "ref", "test", &err));
    for (const char *const *s = settings; s && *s; s += 2)
        EXPECT_OK(stk_train_recipe_set(recipe, s[0], s[1], "test", &err));
    EXPECT_OK(stk_train_resolve(recipe, data, reasons, &err));
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

STK_TEST(airbench_has_a_recipe_of_its_own)
{
    stk_train_recipe r;
    stk_blob         reasons;
    stk_error        err;
    stk_blob_init(&reasons, NULL, STK_MEMORY_OUTPUT);
    settle(&r, &cifar, (const char *const[]){"model.name", "airbench", NULL}, &reasons);
    EXPECT_STR_EQ("cifar-shift", r.data.preset);
    EXPECT_INT_EQ(1024, r.data.batch);
    EXPECT_INT_EQ(528, r.train.steps);
    EXPECT_INT_EQ(STK_SCHEDULE_TRIANGLE, r.train.schedule);
    EXPECT_INT_EQ(STK_DECAY_EVEN, r.train.decay);
    EXPECT_INT_EQ(5, r.train.lookahead);
    EXPECT_INT_EQ(0, r.train.eval_every);
    EXPECT_INT_EQ(STK_TTA_MIRROR_SHIFT, r.train.tta);
    EXPECT_INT_EQ(STK_FLIP_RANDOM, r.data.flip); /* images do not stay: there is no GPU */
    EXPECT(near(r.train.learning_rate, 1.5) && r.train.momentum == 0.85);
    EXPECT(near(r.train.weight_decay * r.train.learning_rate, 0.0153 / (1 + 1 / 0.15)));
    EXPECT(r.train.label_smoothing == 0.2 && r.train.warmup_epochs == 0);
    EXPECT(r.train.rise_fraction == 0.23 && r.train.start_factor == 0.2 &&
           r.train.end_factor == 0.07);
    EXPECT_OK(stk_blob_append(&reasons, "", 1, &err));
    EXPECT_CONTAINS("model airbench has a recipe of its own", (const char *)reasons.data);
    EXPECT_CONTAINS("learning rate 1.5", (const char *)reasons.data);
    stk_blob_release(&reasons);
}

STK_TEST(what_is_said_counts_instead)
{
    stk_train_recipe         r;
    stk_train_data           few = cifar;
    static const char *const said[] = {"model.name",
                                       "airbench",
                                       "data.batch",
                                       "512",
                                       "train.lookahead",
                                       "0",
                                       "train.momentum",
                                       "0.9",
                                       "train.eval_every",
                                       "2",
                                       "train.schedule",
                                       "cosine",
                                       "train.precision",
                                       "fp16",
                                       "data.preset",
                                       "cifar",
                                       "train.label_smoothing",
                                       "0",
                                       NULL};
    settle(&r, &cifar, said, NULL);
    EXPECT_INT_EQ(0, r.train.lookahead);
    EXPECT_INT_EQ(2, r.train.eval_every);
    EXPECT(near(r.train.learning_rate, 11.5 / 2 / 11) && r.train.label_smoothing == 0);
    EXPECT(r.train.loss_scale == 1024 && near(r.train.warmup_epochs, 0.55));
    EXPECT_STR_EQ("cifar", r.data.preset);
    settle(&r, &cifar, (const char *const[]){"model.name", "airbench", "data.resident", "on", NULL},
           NULL);
    EXPECT_INT_EQ(STK_FLIP_ALTERNATE, r.data.flip);
    few.channels = 1;
    settle(&r, &few, (const char *const[]){"model.name", "airbench", NULL}, NULL);
    EXPECT_STR_EQ("fashion", r.data.preset);
    few.channels = 3;
    few.train_count = 1000; /* no batch of 1024 */
    settle(&r, &few, (const char *const[]){"model.name", "airbench", NULL}, NULL);
    EXPECT_INT_EQ(64, r.data.batch);
    settle(&r, &cifar,
           (const char *const[]){"model.name", "airbench", "train.optimizer", "adamw", NULL}, NULL);
    EXPECT(near(r.train.learning_rate, 1e-3 * sqrt(8)) && r.train.weight_decay == 0.05);
}

STK_TEST(other_models_have_the_usual)
{
    stk_train_recipe r;
    settle(&r, &cifar, NULL, NULL);
    EXPECT_STR_EQ("resnet20", r.model.name);
    EXPECT_INT_EQ(STK_SCHEDULE_ONE_CYCLE, r.train.schedule);
    EXPECT_INT_EQ(STK_DECAY_WEIGHTS, r.train.decay);
    EXPECT_INT_EQ(0, r.train.lookahead);
    EXPECT_INT_EQ(1, r.train.eval_every);
    EXPECT_INT_EQ(STK_TTA_NONE, r.train.tta);
    EXPECT(r.train.momentum == 0.9 && r.train.label_smoothing == 0 && r.train.rise_fraction == 0.3);
}

STK_TEST(a_pass_that_does_not_exist_is_refused_by_name)
{
    stk_train_recipe recipe;
    stk_error        err;
    settle(&recipe, &cifar, (const char *const[]){"knobs.passes_off", "layout, reuse", NULL}, NULL);
    EXPECT_OK(stk_train_recipe_set(&recipe, "knobs.passes_off", "layout,reus", "test", &err));
    EXPECT_STATUS(STK_E_INVALID, stk_train_resolve(&recipe, &cifar, NULL, &err));
    EXPECT_STR_EQ("knobs.passes_off", err.where);
    EXPECT(strstr(err.message, "\"reus\"; did you mean reuse?"));
    unsigned former, name;
    EXPECT_OK(stk_graph_passes_parse("record", &former, &err));
    EXPECT_OK(stk_graph_passes_parse("capture", &name, &err));
    EXPECT_INT_EQ(name, former);
    EXPECT_STATUS(STK_E_INVALID, stk_graph_passes_parse("record fuse capture", &name, &err));
    EXPECT_CONTAINS("capture is given twice; record is its former name", err.message);
    const char *old = NULL;
    EXPECT_STR_EQ("capture", stk_graph_pass_renamed("fuse, record", &old));
    EXPECT_STR_EQ("record", old);
    EXPECT(!stk_graph_pass_renamed("records,arecord,capture", &old));
}
