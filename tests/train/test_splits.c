/* Which split is learnt from, chosen by and reported on. */
#include "harness.h"
#include "train/input/splits.h"
#include <string.h>

static stk_train_data choose(const char *const *names, const char *split, const char *validation,
                             const char *model)
{
    stk_split_list   list = {.count = 0};
    stk_train_recipe recipe;
    stk_train_data   data = {0};
    stk_error        err;
    stk_train_recipe_init(&recipe);
    strcpy(recipe.data.split, split);
    strcpy(recipe.data.validation, validation);
    strcpy(recipe.model.name, model);
    for (uint64_t i = 0; names[i]; i++)
        stk_split_list_add(&list, names[i], 100 + i, 1000);
    EXPECT_OK(stk_splits_choose(&recipe, &list, &data, &err));
    return data;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

STK_TEST(test_is_never_chosen_by_where_there_is_a_split_for_it)
{
    static const char *const words[] = {"val", "Validation", "valid", "dev", "eval"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const stk_train_data d = choose(NAMES("test", "train", words[i]), "", "", "");
        EXPECT_STR_EQ("train", d.train_split);
        EXPECT_STR_EQ(words[i], d.validation_split);
        EXPECT_STR_EQ("test", d.test_split);
        EXPECT_INT_EQ(102, d.validation_count);
        EXPECT_INT_EQ(100, d.test_count);
        EXPECT(d.validation_fraction == 0);
    }
}

STK_TEST(without_such_a_split_a_part_of_train_is_held_back)
{
    const stk_train_data d = choose(NAMES("Testing", "Training"), "", "", "");
    EXPECT_STR_EQ("Training", d.train_split);
    EXPECT_STR_EQ("Training", d.validation_split);
    EXPECT_STR_EQ("Testing", d.test_split);
    EXPECT_INT_EQ(10, d.validation_count);
    EXPECT_INT_EQ(91, d.train_count);
    EXPECT(d.validation_fraction == 0.1);
}

STK_TEST(what_is_said_counts)
{
    stk_train_data d = choose(NAMES("test", "train", "val"), "", "test", "");
    EXPECT_STR_EQ("test", d.validation_split);
    EXPECT_STR_EQ("", d.test_split);
    d = choose(NAMES("test", "train", "val"), "val", "0.2", "");
    EXPECT_STR_EQ("val", d.train_split);
    EXPECT_INT_EQ(20, d.validation_count);
    d = choose(NAMES("test", "train", "val"), "", "none", "");
    EXPECT_INT_EQ(0, d.validation_count);
    EXPECT_STR_EQ("test", d.test_split);
    d = choose(NAMES("Test", "Train"), "train", "test", "");
    EXPECT_STR_EQ("Train", d.train_split);
    EXPECT_STR_EQ("Test", d.validation_split);
}

STK_TEST(splits_that_are_not_used_are_named)
{
    stk_train_data d = choose(NAMES("train", "training", "val", "dev", "test"), "", "", "");
    EXPECT_STR_EQ("training, dev", d.unused_splits);
    d = choose(NAMES("test", "val"), "", "", "");
    EXPECT_STR_EQ("test", d.train_split);
    EXPECT_STR_EQ("", d.unused_splits);
}

STK_TEST(a_model_that_is_evaluated_once_learns_from_all)
{
    stk_train_data d = choose(NAMES("test", "train"), "", "", "airbench");
    EXPECT_STR_EQ("test", d.validation_split);
    EXPECT_INT_EQ(101, d.train_count);
    d = choose(NAMES("test", "train", "val"), "", "", "airbench");
    EXPECT_STR_EQ("val", d.validation_split);
}

STK_TEST(splits_that_are_not_there_or_taken_are_refused)
{
    stk_split_list   list = {.count = 0};
    stk_train_recipe recipe;
    stk_train_data   data = {0};
    stk_error        err;
    stk_train_recipe_init(&recipe);
    stk_split_list_add(&list, "train", 100, 0);
    stk_split_list_add(&list, "test", 100, 0);
    strcpy(recipe.data.split, "extra");
    EXPECT_STATUS(STK_E_NOTFOUND, stk_splits_choose(&recipe, &list, &data, &err));
    EXPECT_CONTAINS("there are: train, test", err.message);
    strcpy(recipe.data.split, "");
    strcpy(recipe.data.validation, "extra");
    EXPECT_STATUS(STK_E_NOTFOUND, stk_splits_choose(&recipe, &list, &data, &err));
    strcpy(recipe.data.validation, "test");
    strcpy(recipe.data.test, "test");
    EXPECT_STATUS(STK_E_INVALID, stk_splits_choose(&recipe, &list, &data, &err));
    EXPECT_CONTAINS("validated on already", err.message);
    strcpy(recipe.data.test, "extra");
    EXPECT_STATUS(STK_E_NOTFOUND, stk_splits_choose(&recipe, &list, &data, &err));
}
