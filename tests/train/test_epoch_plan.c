/* Progressive training: every course ends at full size, and networks that cannot grow are refused
 * before anything is computed. */
#include "train/resolve/epoch_plan.h"
#include "train/tiny_data.h"
#include <stdio.h>
#include <stoker/models.h>
#include <stoker/presets.h>
#include <string.h>

static const stk_train_data many = {.classes = 10,
                                    .train_count = 1000,
                                    .validation_count = 100,
                                    .width = 32,
                                    .height = 32,
                                    .channels = 3,
                                    .train_split = "train"};

static stk_train_recipe recipe_of(const char *const *settings)
{
    stk_train_recipe r;
    stk_error        err;
    stk_train_recipe_init(&r);
    for (const char *const *s = settings; *s; s += 2)
        EXPECT_OK(stk_train_recipe_set(&r, s[0], s[1], "test", &err));
    return r;
}

static void expect_plan(const char *epochs, const char *steps, int64_t first_size, size_t groups,
                        int64_t all_epochs)
{
    stk_epoch_plan   plan;
    stk_error        err;
    stk_train_recipe r = recipe_of(
        (const char *const[]){"data.batch", "100", "model.name", "cnn", "progressive.size_from",
                              "0.5", "train.epochs", epochs, "train.steps", steps, NULL});
    EXPECT_OK(stk_train_resolve(&r, &many, NULL, &err));
    EXPECT_OK(stk_epoch_plan_make(&plan, &r, &many, &err));
    EXPECT_INT_EQ(groups, plan.count);
    EXPECT_INT_EQ(all_epochs, plan.epochs);
    EXPECT_INT_EQ(first_size, plan.groups[0].size);
    EXPECT_INT_EQ(32, plan.groups[plan.count - 1].size);
    EXPECT(plan.groups[plan.count - 1].steps > 0);
    stk_epoch_plan_release(&plan);
}

STK_TEST(every_course_ends_at_full_size)
{
    expect_plan("1", "auto", 32, 1, 1);
    expect_plan("2", "auto", 16, 2, 2);
    expect_plan("2.5", "auto", 16, 3, 3);
    expect_plan("3", "auto", 16, 3, 3);
    expect_plan("10", "auto", 16, 5, 10);
    expect_plan("10", "13", 16, 2, 2);
    expect_plan("10", "3", 32, 1, 1);
}

STK_TEST(a_course_of_one_size_says_that_images_do_not_grow)
{
    stk_blob         reasons;
    stk_error        err;
    stk_train_recipe r =
        recipe_of((const char *const[]){"data.batch", "100", "model.name", "cnn",
                                        "progressive.size_from", "0.5", "train.epochs", "1", NULL});
    stk_blob_init(&reasons, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_train_resolve(&r, &many, &reasons, &err));
    EXPECT_OK(stk_blob_append(&reasons, "", 1, &err));
    EXPECT_CONTAINS("WARNING: images do not grow: 1 epoch,", (const char *)reasons.data);
    stk_blob_release(&reasons);
}

/* Those with weights for each place of an image. */
static bool is_of_one_size(const char *model)
{
    static const char *const names[] = {"mlp", "lenet", "vit_tiny"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(names[i], model) == 0) return true;
    return false;
}

STK_TEST(networks_of_one_size_are_refused_with_the_weight_that_differs)
{
    const stk_model *model;
    int              refused = 0;
    for (size_t i = 0; (model = stk_model_at(i)); i++) {
        stk_error        err;
        stk_train_recipe r = recipe_of((const char *const[]){
            "model.name", model->name, "train.epochs", "4", "data.size", "64",
            "progressive.size_from", "0.5", "progressive.size_step", "32", NULL});
        const stk_status st = stk_train_resolve(&r, &many, NULL, &err);
        EXPECT_INT_EQ(is_of_one_size(model->name) ? STK_E_UNSUPPORTED : STK_OK, st);
        if (!st) continue;
        refused++;
        EXPECT_STR_EQ("progressive.size_from", err.where);
        EXPECT_CONTAINS(model->name, err.message);
        EXPECT_CONTAINS("progressive.size_from: 1", err.message);
    }
    EXPECT_INT_EQ(3, refused);
    stk_error        err;
    stk_train_recipe lenet =
        recipe_of((const char *const[]){"model.name", "lenet", "data.preset", "fashion",
                                        "train.epochs", "2", "progressive.size_from", "0.5", NULL});
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_train_resolve(&lenet, &many, NULL, &err));
    EXPECT_CONTAINS("its weight fc1.weight is [", err.message);
}

STK_TEST(the_memory_of_a_step_is_that_of_the_largest_phase)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_trainer     *trainer[2];
    stk_error        err;
    uint64_t         bytes[2];
    const char      *path = tiny_data("memory", 64, 12, 4);
    for (int i = 0; i < 2; i++) {
        tiny_recipe(&recipe, &data, path, stk_test_path(i ? "memory-grows" : "memory-stays"),
                    (const char *const[]){"model.name", "cnn", "model.width", "0.25",
                                          "progressive.size_from", i ? "0.5" : "1", NULL});
        EXPECT_OK(stk_trainer_open(&trainer[i], &recipe, &data, NULL, &err));
        const stk_memory_plan plan = stk_trainer_memory(trainer[i]);
        bytes[i] = plan.arena + plan.fixed;
        stk_trainer_free(trainer[i]);
        stk_train_data_release(&data);
    }
    EXPECT(bytes[0] > 0);
    EXPECT_INT_EQ(bytes[0], bytes[1]);
}
