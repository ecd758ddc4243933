/* Weights that say what they are, and those that do not. */
#include "../harness.h"
#include "train/tasks/model_source.h"

#include <stdio.h>
#include <stoker/safetensors.h>
#include <string.h>

/* A file with one tensor, and with the texts of recipe where there is one. */
static const char *weights(const char *name, const stk_train_recipe *recipe, const char *classes)
{
    static const float               number = 1;
    const char                      *path = stk_test_path(name);
    stk_error                        err;
    stk_blob                         yaml;
    const stk_safetensors_item       item = {"w", STK_DTYPE_F32, {.rank = 0}, &number};
    const stk_safetensors_text_item *none = NULL;
    stk_blob_init(&yaml, NULL, STK_MEMORY_OUTPUT);
    if (recipe) EXPECT_OK(stk_model_source_print(recipe, &yaml, &err));
    const stk_safetensors_text_item texts[] = {{STK_MODEL_RECIPE, (const char *)yaml.data},
                                               {STK_MODEL_CLASSES, classes}};
    EXPECT_OK(stk_safetensors_save(NULL, path, &item, 1, recipe ? texts : none, recipe ? 2 : 0,
                                   NULL, &err));
    stk_blob_release(&yaml);
    return path;
}

static stk_train_recipe trained(void)
{
    stk_train_recipe recipe;
    stk_error        err;
    stk_train_recipe_init(&recipe);
    EXPECT_OK(stk_train_recipe_set(&recipe, "model.name", "cnn", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "model.classes", "2", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "model.width", "0.5", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.preset", "fashion", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.size", "20", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", "/home/me/secret", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "train.tta", "mirror", "test", &err));
    return recipe;
}

STK_TEST(a_file_of_weights_says_what_it_is)
{
    const stk_train_recipe      recipe = trained();
    const stk_predictor_options usual = {0};
    stk_model_source            from;
    stk_error                   err;
    const char                 *path = weights("w.safetensors", &recipe, "[\"a\",\"b\"]");
    EXPECT_OK(stk_model_source_find(&from, path, &usual, &err));
    EXPECT_STR_EQ("cnn", from.recipe.model.name);
    EXPECT_STR_EQ("fashion", from.recipe.data.preset);
    EXPECT_INT_EQ(STK_TTA_MIRROR, from.recipe.train.tta);
    EXPECT_INT_EQ(20, from.recipe.data.size);
    EXPECT(from.recipe.model.width == 0.5);
    EXPECT_STR_EQ("", from.recipe.data.path);
    EXPECT_INT_EQ(2, from.classes.count);
    EXPECT_STR_EQ("b", from.classes.names[1]);
    EXPECT_STR_EQ(path, from.weights);
    stk_model_source_release(&from);
}

STK_TEST(where_and_how_a_model_was_trained_is_not_in_the_file)
{
    stk_train_recipe recipe = trained(), other = recipe;
    stk_error        err;
    stk_blob         a, b;
    stk_blob_init(&a, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&b, NULL, STK_MEMORY_OUTPUT);
    strcpy(other.data.path, "/elsewhere");
    strcpy(other.output.folder, "runs/7");
    other.knobs.threads = 7;
    other.train.learning_rate = 0.5;
    other.data.batch = 3;
    EXPECT_OK(stk_model_source_print(&recipe, &a, &err));
    EXPECT_OK(stk_model_source_print(&other, &b, &err));
    EXPECT_STR_EQ((const char *)a.data, (const char *)b.data);
    EXPECT(!strstr((const char *)a.data, "secret"));
    /* A new key of data is here or among those that do not matter: decide which. */
    EXPECT_STR_EQ("data:\n  preset: \"fashion\"\n  size: 20\n"
                  "model:\n  name: \"cnn\"\n  classes: 2\n  width: 0.5\n  trivial: false\n"
                  "train:\n  precision: \"auto\"\n  tta: \"mirror\"\n",
                  (const char *)a.data);
    stk_blob_release(&a);
    stk_blob_release(&b);
}

STK_TEST(flags_say_what_a_file_does_not)
{
    const char           *path = weights("alone.safetensors", NULL, NULL);
    stk_predictor_options told = {.model = "cnn", .preset = "fashion"};
    stk_model_source      from;
    stk_error             err;
    EXPECT_STATUS(STK_E_INVALID, stk_model_source_find(&from, path, &told, &err));
    EXPECT_CONTAINS("--classes FILE (or a number)", err.message);
    stk_model_source_release(&from);
    told.classes = "3";
    EXPECT_OK(stk_model_source_find(&from, path, &told, &err));
    EXPECT_INT_EQ(3, from.recipe.model.classes);
    EXPECT_INT_EQ(28, from.recipe.data.size); /* the preset's */
    EXPECT_STR_EQ("class 2", from.classes.names[2]);
    stk_model_source_release(&from);
    told.size = 16;
    told.preset = "none of these";
    EXPECT_STATUS(STK_E_INVALID, stk_model_source_find(&from, path, &told, &err));
    EXPECT_CONTAINS("there is no preset \"none of these\"", err.message);
    stk_model_source_release(&from);
}

STK_TEST(names_of_classes_are_as_many_as_the_model_has)
{
    const stk_train_recipe      recipe = trained();
    const stk_predictor_options usual = {0}, two = {.classes = "2"};
    const char                 *wrong[] = {"[\"a\",\"b\",\"c\"]", "[\"a\"]"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        stk_model_source from;
        stk_error        err;
        const char      *path = weights("count.safetensors", &recipe, wrong[i]);
        EXPECT_STATUS(STK_E_INVALID, stk_model_source_find(&from, path, &usual, &err));
        EXPECT_CONTAINS("but the model was trained with 2", err.message);
        EXPECT_CONTAINS("count.safetensors", err.where);
        stk_model_source_release(&from);
        EXPECT_OK(stk_model_source_find(&from, path, &two, &err));
        stk_model_source_release(&from);
    }
}

STK_TEST(what_cannot_be_is_refused)
{
    const stk_train_recipe recipe = trained();
    const char            *path = weights("w.safetensors", &recipe, "[\"a\",\"b\"]");
    stk_predictor_options  options = {.classes = "3"};
    stk_model_source       from;
    stk_error              err;
    EXPECT_STATUS(STK_E_INVALID, stk_model_source_find(&from, path, &options, &err));
    EXPECT_CONTAINS("it has 3 classes, but the model was trained with 2", err.message);
    stk_model_source_release(&from);
    options = (stk_predictor_options){.which = "last"};
    EXPECT_STATUS(STK_E_INVALID, stk_model_source_find(&from, path, &options, &err));
    EXPECT_CONTAINS("nothing to choose (last)", err.message);
    stk_model_source_release(&from);
    options = (stk_predictor_options){0};
    path = weights("odd.safetensors", &recipe, "7");
    EXPECT_STATUS(STK_E_FORMAT, stk_model_source_find(&from, path, &options, &err));
    stk_model_source_release(&from);
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_model_source_find(&from, stk_test_path("nowhere"), &options, &err));
    stk_model_source_release(&from);
}

static stk_status find_once(void *context, stk_error *err)
{
    const stk_predictor_options usual = {0};
    stk_model_source            from;
    const stk_status            st = stk_model_source_find(&from, context, &usual, err);
    stk_model_source_release(&from);
    return st;
}

/* Weights without texts in a run folder: both are read, and nothing of the machine. */
STK_TEST(finding_survives_failing_allocations)
{
    const stk_train_recipe recipe = trained();
    stk_error              err;
    stk_blob               yaml;
    stk_blob_init(&yaml, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_train_recipe_print(&recipe, &yaml, &err));
    stk_test_write_file(stk_test_path("recipe.yaml"), yaml.data, yaml.size);
    stk_test_write_file(stk_test_path("classes.txt"), "a\nb\n", 4);
    stk_blob_release(&yaml);
    stk_test_fail_each_allocation(find_once, (void *)weights("bare.safetensors", NULL, NULL));
}
