/* Packs that a search makes. */
#include "harness.h"
#include "train/class_folders.h"
#include "tune/recipe/pack_data.h"
#include <stoker/filesystem.h>
#include <stoker/image.h>

/* A change comes back when another stage limits, and a search that was stopped behind a pack goes
 * on with its trial: the pack is there then. */
STK_TEST(a_pack_that_is_there_serves_again)
{
    static stk_train_recipe recipe;
    stk_recipe_settings     settings = {.recipe = &recipe, .folder = stk_test_path("found")};
    stk_tune_setting        change = {0};
    stk_error               err;
    bool                    exists = false;
    static const wave_class classes[] = {{"left", 0, 6, 2}, {"right", 3, 6, 2}};
    stk_train_recipe_init(&recipe);
    snprintf(recipe.data.path, sizeof recipe.data.path, "%s",
             wave_folders("waves", classes, COUNT_OF(classes), 5));
    EXPECT_OK(stk_tune_setting_set(&change, "pack.form", "raw", &err));
    for (int i = 0; i < 2; i++)
        EXPECT_OK(stk_pack_data(&settings, &change, 1 << 20, NULL, &err));
    EXPECT_OK(
        stk_path_exists(NULL, stk_test_path("found/" STK_TUNE_PACKS "/raw"), &exists, NULL, &err));
    EXPECT(exists);
    EXPECT_OK(stk_tune_setting_set(&change, "pack.form", "seekable", &err));
    EXPECT_STATUS(STK_E_LIMIT, stk_pack_data(&settings, &change, 10, NULL, &err));
    EXPECT_OK(stk_path_exists(NULL, stk_test_path("found/" STK_TUNE_PACKS "/seekable"), &exists,
                              NULL, &err));
    EXPECT(!exists);
}
