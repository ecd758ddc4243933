/* docs/training.md has every key of a recipe; the recipes beside it are read. */
#include "harness.h"
#include <stdio.h>
#include <string.h>

STK_TEST(the_page_has_every_key_with_its_default_and_help)
{
    const stk_bytes  page = stk_test_read_file(STK_TEST_DATA "/../../docs/training.md");
    const stk_param *key;
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) {
        char row[512];
        snprintf(row, sizeof row, "\n| `%s.%s` | %s | %s |\n", key->group, key->name,
                 *key->fallback ? key->fallback : "none", key->help);
        if (!memmem(page.data, page.size, row, strlen(row))) print_message("missing:%s", row);
        EXPECT(memmem(page.data, page.size, row, strlen(row)));
    }
}

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
