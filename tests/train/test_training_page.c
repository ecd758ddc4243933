/* The recipes that come with the pages are read. docs/training/keys.md is made of the table
 * (scripts/docs-generate). */
#include "harness.h"
#include <stdio.h>
#include <string.h>

STK_TEST(the_recipes_are_read)
{
    static const char *const names[] = {"fashion-mnist", "cifar10", "airbench", "imagenet"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        stk_train_recipe recipe;
        stk_error        err;
        char             path[512];
        snprintf(path, sizeof path, STK_TEST_DATA "/../../recipes/%s.yaml", names[i]);
        stk_train_recipe_init(&recipe);
        EXPECT_OK(stk_train_recipe_load(&recipe, NULL, path, &err));
        EXPECT_STR_EQ("", recipe.data.path);
        EXPECT(recipe.train.epochs > 0 && recipe.train.learning_rate > 0);
    }
}
