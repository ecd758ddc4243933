/* What may be done to learning, of a recipe. */
#include "harness.h"
#include "train/class_folders.h"
#include "tune/recipe/recipe_subject.h"

#include <stoker/image.h>

static const wave_class classes[] = {{"left", 0, 12, 6}, {"right", 4, 12, 6}};

static void describe(stk_train_recipe *recipe)
{
    stk_error err;
    stk_train_recipe_init(recipe);
    EXPECT_OK(stk_train_recipe_set(
        recipe, "data.path", wave_folders("waves", classes, COUNT_OF(classes), 5), "t", &err));
    EXPECT_OK(stk_train_recipe_set(recipe, "model.name", "mlp", "t", &err));
    EXPECT_OK(stk_train_recipe_set(recipe, "data.batch", "4", "t", &err));
    EXPECT_OK(stk_train_recipe_set(recipe, "knobs.threads", "1", "t", &err));
    EXPECT_OK(stk_train_recipe_set(recipe, "knobs.input_threads", "1", "t", &err));
}

/* Up to 48 trainings of hours would be begun behind a budget of minutes. */
STK_TEST(a_guard_of_learning_ends_with_the_budget)
{
    static stk_train_recipe   recipe;
    static stk_recipe_subject subject;
    stk_tune_options          options = {.folder = stk_test_path("found")};
    stk_tune_setting          before = {0}, after = {0};
    stk_tune_candidate        candidate = {.kind = STK_TUNE_LEARNING};
    stk_tune_guard_result     result;
    stk_error                 err;
    describe(&recipe);
    subject = (stk_recipe_subject){.options = &options,
                                   .settings = {.recipe = &recipe, .folder = options.folder},
                                   .guard_epochs = 1,
                                   .deadline_s = 1e-9};
    EXPECT_OK(stk_tune_setting_set(&after, "data.batch", "8", &err));
    EXPECT_OK(stk_recipe_guard(&subject, &before, &after, &candidate, &result, &err));
    EXPECT(!result.passed);
    EXPECT_CONTAINS("of 1 training each: the budget ended", result.reason);
    stk_recipe_settings_release(&subject.settings);
}
